// Make elements. Texts become text nodes and attributes are set one by one, so no text of a log is parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child != null && child !== ""));
  return element;
}

// h("p", {class: "quiet"}, "text", element): an HTML element; `onclick` and the like are listeners.
function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

// The same for SVG.
function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

// Text between backticks as code, as in the findings of the page.
function sentence(text) {
  return text.split(/`([^`]+)`/).map((part, i) => (i % 2 ? h("code", {}, part) : part));
}

// A number as the evidence writes it: seven digits, so that it is never rounded more than in a table.
function shown(value) {
  const digits = Math.abs(value) < 1e6 ? { maximumSignificantDigits: 7 } : { maximumFractionDigits: 0 };
  return value.toLocaleString("en-US", digits);
}

// A comparison as the page writes it: three digits. toPrecision would round 1.005 down, the tables round it up.
function shownShort(value) {
  const digits = Math.abs(value) < 999.5 ? { minimumSignificantDigits: 3, maximumSignificantDigits: 3 } : { maximumFractionDigits: 0 };
  return value.toLocaleString("en-US", digits);
}

// Keep focus and history working where a browser forbids to change the address (a page inside another one).
function setAddress(address) {
  try {
    history.replaceState(history.state, "", address || location.pathname + location.search);
  } catch {
    // The page works without an address.
  }
}

// A label beside its control; inside a label, the options of a list would be part of its text.
const labelled = (() => {
  let count = 0;
  return (text, control) => {
    control.id = `control-${++count}`;
    return h("span", {}, h("label", { for: control.id }, text), " ", control);
  };
})();

// A check box with its label; onchange gets whether it is on.
function check(text, isOn, onchange) {
  const box = h("input", { type: "checkbox", checked: isOn, onchange: () => onchange(box.checked) });
  return h("label", {}, box, " ", text);
}
