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

/** A headless Chromium. For one thread. */
final class Browser implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(40);

  private final ChromeDriver driver;

  private Browser(ChromeDriver driver) {
    this.driver = driver;
  }

  /** The browser and its driver of this machine, if it has both. */
  static boolean isInstalled() {
    return chromium().isPresent() && chromedriver().isPresent();
  }

  static Browser start() {
    ChromeOptions options = new ChromeOptions();
    options.setBinary(chromium().orElseThrow().toFile());
    options.addArguments(
        "--headless=new",
        "--no-sandbox", // Root, in a container, looks at its own pages only.
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

  /** A window of a phone: narrower than a desktop window can be. */
  void phone() {
    driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", 375, "height", 812, "deviceScaleFactor", 2, "mobile", true));
  }

  void desktop() {
    driver.executeCdpCommand("Emulation.clearDeviceMetricsOverride", Map.of());
    size(1360, 1500);
  }

  void offline(boolean gone) {
    driver.executeCdpCommand("Network.enable", Map.of());
    driver.executeCdpCommand(
        "Network.emulateNetworkConditions",
        Map.of("offline", gone, "latency", 0, "downloadThroughput", -1, "uploadThroughput", -1));
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

  /** Asks until it is so; the page may be painted anew while it is asked. */
  void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      try {
        if (condition.getAsBoolean()) {
          return;
        }
      } catch (StaleElementReferenceException e) {
        continue;
      }
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("waited in vain for " + what + "; the page says:\n" + text());
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

  /** What the page complained of since the last call; the network being away is no complaint. */
  List<String> complaints() {
    return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
        .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
        .map(entry -> entry.getMessage())
        .filter(message -> !message.contains("ERR_INTERNET_DISCONNECTED"))
        .filter(message -> !message.contains("ERR_CONNECTION_REFUSED"))
        .filter(message -> !message.contains("status of 404"))
        .toList();
  }

  /** Writes a picture for the docs where {@code -Dsluice.screenshots=DIR} asks for them. */
  void picture(String name) throws IOException {
    String directory = System.getProperty("sluice.screenshots");
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
