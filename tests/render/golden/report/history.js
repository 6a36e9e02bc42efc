globalThis.reportgenHistory = {};
