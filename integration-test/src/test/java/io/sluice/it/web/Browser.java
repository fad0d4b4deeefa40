package io.sluice.it.web;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebDriver;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** A headless Chromium. Used by one thread. */
final class Browser implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(40);
  private static final String SCREENSHOTS = "sluice.screenshots";

  private final ChromeDriver driver;

  private Browser(ChromeDriver driver) {
    this.driver = driver;
  }

  /** The machine's browser and its driver, if both are installed. */
  static boolean isInstalled() {
    return chromium().isPresent() && chromedriver().isPresent();
  }

  static Browser start() {
    ChromeOptions options = new ChromeOptions();
    options.setBinary(chromium().orElseThrow().toFile());
    options.addArguments(
        "--headless=new",
        "--no-sandbox", // Needed for root in a container; it loads only local pages.
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
        "--force-prefers-reduced-motion");
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.ALL);
    options.setCapability("goog:loggingPrefs", logs);
    ChromeDriverService service =
        new ChromeDriverService.Builder()
            .usingDriverExecutable(chromedriver().orElseThrow().toFile())
            .usingAnyFreePort()
            .build();
    return new Browser(new ChromeDriver(service, options));
  }

  WebDriver driver() {
    return driver;
  }

  void open(String address) {
    driver.get(address);
  }

  void size(int width, int height) {
    driver.manage().window().setSize(new Dimension(width, height));
  }

  /** Sets the window size of a phone, which is narrower than a desktop window can be. */
  void phone() {
    driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", 375, "height", 812, "deviceScaleFactor", 2, "mobile", true));
  }

  void desktop() {
    driver.executeCdpCommand("Emulation.clearDeviceMetricsOverride", Map.of());
    size(1360, 1500);
  }

  void offline(boolean offline) {
    driver.executeCdpCommand("Network.enable", Map.of());
    driver.executeCdpCommand(
        "Network.emulateNetworkConditions",
        Map.of("offline", offline, "latency", 0, "downloadThroughput", -1, "uploadThroughput", -1));
  }

  void dark(boolean wanted) {
    driver.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of(
            "features",
            List.of(Map.of("name", "prefers-color-scheme", "value", wanted ? "dark" : "light"))));
  }

  WebElement find(String css) {
    return driver.findElement(By.cssSelector(css));
  }

  String text() {
    return find("main").getText();
  }

  /** Waits for a condition; the page may be rendered again meanwhile. */
  void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    while (true) {
      try {
        if (condition.getAsBoolean()) {
          return;
        }
      } catch (StaleElementReferenceException e) {
        continue;
      }
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("timeout waiting for " + what + "; text of the page:\n" + text());
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
    }
  }

  void awaitText(String wanted) {
    await("text: " + wanted, () -> text().contains(wanted));
  }

  Object run(String script, Object... arguments) {
    return driver.executeScript(script, arguments);
  }

  /** Errors in the browser's log since the last call, except network errors. */
  List<String> complaints() {
    return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
        .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
        .map(entry -> entry.getMessage())
        .filter(message -> !message.contains("ERR_INTERNET_DISCONNECTED"))
        .filter(message -> !message.contains("ERR_CONNECTION_REFUSED"))
        .filter(message -> !message.contains("status of 404"))
        .toList();
  }

  /** Writes a screenshot for the docs if {@code -Dsluice.screenshots=DIR} is set. */
  void picture(String name) throws IOException {
    String directory = System.getProperty(SCREENSHOTS);
    if (directory != null) {
      Files.write(Path.of(directory, name + ".png"), driver.getScreenshotAs(OutputType.BYTES));
    }
  }

  private static Optional<Path> chromium() {
    return first("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome");
  }

  private static Optional<Path> chromedriver() {
    return first(
        "/usr/bin/chromedriver",
        "/usr/lib/chromium/chromedriver",
        "/usr/lib/chromium-browser/chromedriver");
  }

  private static Optional<Path> first(String... candidates) {
    return Stream.of(candidates).map(Path::of).filter(Files::isExecutable).findFirst();
  }

  @Override
  public void close() {
    driver.quit();
  }
}
