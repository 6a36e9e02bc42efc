// Add the script of all pages. Where it is missing or made for another version of pages, show the evidence as text.
(() => {
  const script = document.createElement("script");
  script.src = "../assets/page.js";
  script.dataset.page = document.currentScript.dataset.page;
  function showText() {
    const problem = script.dataset.serves ? "is of another version than this page" : "is not beside this page";
    const message = document.createElement("p");
    message.className = "warning";
    message.textContent = `assets/page.js ${problem}, so the evidence is text at the end. To open numbers, copy the whole folder of reports, or run reportgen build.`;
    document.querySelector("main").prepend(message);
    // The text of a report is escaped, and no script in HTML that is set this way runs.
    for (const each of document.querySelectorAll("noscript")) each.outerHTML = each.textContent;
  }
  script.onload = script.onerror = () => {
    if (script.dataset.serves === script.dataset.page) return;
    if (document.readyState === "loading") addEventListener("DOMContentLoaded", showText, { once: true });
    else showText();
  };
  document.head.append(script);
})();
