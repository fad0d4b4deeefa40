// Creates DOM elements, and patches a page with minimal changes. Names and messages are always set as text nodes, so
// that HTML in them is never interpreted.

const SVG = "http://www.w3.org/2000/svg";

/** Creates an element. Null or false attributes are omitted; `on` contains listeners, `css` style properties. */
export function h(tag, attributes, ...children) {
  const element = tag === "svg" || tag === "path" || tag === "circle" || tag === "rect"
    ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") {
      element.listeners = value;
      for (const event of Object.keys(value)) element.addEventListener(event, dispatch);
    } else if (name === "css") {
      for (const [property, style] of Object.entries(value)) element.style.setProperty(property, style);
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

// One function for all listeners, so that patching an element can replace its listeners.
function dispatch(event) {
  event.currentTarget.listeners?.[event.type]?.(event);
}

/** Makes the children of `parent` equal to `wanted`, and reuses elements: focus, selection and scroll position stay. */
export function patchChildren(parent, wanted) {
  const keyed = new Map();
  for (const child of parent.childNodes) {
    const key = keyOf(child);
    if (key) keyed.set(key, child);
  }
  let at = parent.firstChild;
  for (const next of wanted) {
    const key = keyOf(next);
    const twin = key ? keyed.get(key) : at && !keyOf(at) && alike(at, next) ? at : null;
    if (twin && alike(twin, next)) {
      if (twin === at) at = at.nextSibling;
      else parent.insertBefore(twin, at);
      patch(twin, next);
    } else {
      parent.insertBefore(next, at);
    }
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    gone.remove();
  }
}

function keyOf(node) {
  return node.nodeType === Node.ELEMENT_NODE ? node.getAttribute("data-key") : null;
}

function alike(a, b) {
  return a.nodeType === b.nodeType && a.nodeName === b.nodeName;
}

function patch(old, next) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.data !== next.data) old.data = next.data;
    return;
  }
  for (const { name } of [...old.attributes]) {
    if (name !== "style" && !next.hasAttribute(name)) old.removeAttribute(name);
  }
  for (const { name, value } of next.attributes) {
    if (name !== "style" && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  if (old.hasAttribute("data-keep")) return;
  if (old.style.cssText !== next.style.cssText) old.style.cssText = next.style.cssText;
  if (next.listeners) {
    for (const event of Object.keys(next.listeners)) {
      if (!old.listeners?.[event]) old.addEventListener(event, dispatch);
    }
    old.listeners = next.listeners;
  }
  patchChildren(old, [...next.childNodes]);
}
