// Light or dark theme: the setting of the system, or the choice of the user.

const KEY = "sluice-theme";
const NEXT = { system: "light", light: "dark", dark: "system" };

export function startTheme(button, changed) {
  const asked = new URLSearchParams(location.search).get("theme");
  let theme = asked in NEXT ? asked : read();
  const apply = () => {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = `Theme: ${theme}`;
    button.title = `Change to ${NEXT[theme]}`;
  };
  apply();
  button.addEventListener("click", () => {
    theme = NEXT[theme];
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // Without local storage, the choice applies until the page is reloaded.
    }
    apply();
    changed();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
}

function read() {
  try {
    const stored = localStorage.getItem(KEY);
    return stored in NEXT ? stored : "system";
  } catch {
    return "system";
  }
}
