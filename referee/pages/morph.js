"use strict";
// Makes what is on a page like what it was sent, changing only what differs: what the reader has scrolled, opened,
// chosen or marked stays. What a script has added has `data-own`, and stays too.
const morph = (shown, sent) => {
  const isOwn = (node) => node instanceof Element && node.hasAttribute("data-own");
  for (const { name } of [...shown.attributes]) if (!sent.hasAttribute(name) && !["open", "hidden"].includes(name)) shown.removeAttribute(name);
  for (const { name, value } of sent.attributes) if (shown.getAttribute(name) !== value) shown.setAttribute(name, value);
  const byId = new Map([...shown.children].filter((node) => node.id).map((node) => [node.id, node]));
  let next = shown.firstChild;
  for (const node of [...sent.childNodes]) {
    while (next && isOwn(next)) next = next.nextSibling;
    const same = byId.get(node.id) ?? next;
    if (!same || same.nodeName !== node.nodeName || (same.id ?? "") !== (node.id ?? "")) {
      shown.insertBefore(document.importNode(node, true), next);
      continue;
    }
    if (same === next) next = next.nextSibling;
    else shown.insertBefore(same, next);
    if (node instanceof Element) morph(same, node);
    else if (same.nodeValue !== node.nodeValue) same.nodeValue = node.nodeValue;
  }
  while (next) {
    const gone = next;
    next = next.nextSibling;
    if (!isOwn(gone)) gone.remove();
  }
};
