// Light or dark: as the system says, or as the reader chose.

const KEY = "sluice-theme";
const NEXT = { system: "light", light: "dark", dark: "system" };
const NAMES = { system: "System", light: "Light", dark: "Dark" };

export function startTheme(button, changed) {
  const asked = new URLSearchParams(location.search).get("theme");
  let theme = asked in NEXT ? asked : read();
  const apply = () => {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = NAMES[theme];
    button.title = "Colours of this page; press for the next";
    button.setAttribute("aria-label", `Colours: ${NAMES[theme]}. Change`);
  };
  apply();
  button.addEventListener("click", () => {
    theme = NEXT[theme];
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // A browser that keeps nothing still shows the choice.
    }
    apply();
    changed();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
}

function read() {
  try {
    const kept = localStorage.getItem(KEY);
    return kept in NEXT ? kept : "system";
  } catch {
    return "system";
  }
}
