package io.sluice.it.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.common.config.HostPort;
import io.sluice.it.cluster.TestCluster;
import io.sluice.it.spark.SparkApplication;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.RegisterApplicationRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;

/** Every page against a real cluster while a Spark job uses it. */
@Timeout(600)
@EnabledIf("io.sluice.it.web.Browser#isInstalled")
class WebPagesTest {
  /** A user name with HTML. */
  private static final String HOSTILE =
      "<img src=x onerror=\"document.title='run'\"><script>document.title='run'</script>";

  /** Script that waits for a promise. */
  private static final String SAMPLES_WITH_BYTES =
      "return fetch('/api/v1/throughput').then(reply => reply.json())"
          + ".then(history => history.storedBytes.filter(bytes => bytes > 0).length)";

  @TempDir Path directory;

  private Browser browser;
  private LocalCluster cluster;
  private String base;

  @Test
  void showsTheClusterUnderASparkJob() throws Exception {
    try (LocalCluster started =
            TestCluster.builder(directory.resolve("cluster"))
                .servers(3)
                .configureCoordinators("rss.coordinator.server.heartbeat.interval", "500ms")
                .configureCoordinators("rss.coordinator.server.heartbeat.timeout", "3s")
                .configureServers("rss.server.zone", "north")
                .build();
        Browser opened = Browser.start()) {
      cluster = started;
      browser = opened;
      cluster.start();
      base = "http://127.0.0.1:" + cluster.coordinator().httpPort();
      try (ClusterProbe probe = new ClusterProbe(cluster)) {
        probe.awaitActiveServers(3, Duration.ofSeconds(30));
      }
      browser.desktop();
      browser.dark(false);
      browser.open(base + "/");
      browser.awaitText("No problems: 3 servers");

      Outcome outcome =
          SparkApplication.onSluice(directory.resolve("spark"), cluster.quorum())
              .withOneExecutor()
              .at("look", this::look)
              .run(List.of("groupByKey", "sortByKey", "pause:look"));
      assertThat(outcome.exitCode()).as(outcome.log()).isZero();

      showsTheFinishedApplication();
      showsLostServers();
      keepsItsValuesWhileTheCoordinatorIsDown();
      assertThat(browser.complaints()).isEmpty();
    }
  }

  private void registerHostileNames() throws InterruptedException {
    HostPort address = HostPort.parse(cluster.quorum());
    ManagedChannel channel =
        NettyChannelBuilder.forAddress(address.host(), address.port()).usePlaintext().build();
    try {
      CoordinatorGrpc.newBlockingStub(channel)
          .withDeadlineAfter(Duration.ofSeconds(60))
          .registerApplication(
              RegisterApplicationRequest.newBuilder()
                  .setApplication("hostile")
                  .setUser(HOSTILE)
                  .setClientVersion(HOSTILE)
                  .build());
    } finally {
      channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
    }
  }

  /** Checks the pages while the job pauses with its shuffles on the servers. */
  private void look() throws IOException, InterruptedException {
    browser.await("a chart of it", () -> (Long) browser.run(SAMPLES_WITH_BYTES) >= 3);
    browser.await(
        "bytes of the job",
        () -> {
          List<?> cells =
              (List<?>)
                  browser.run(
                      "return [...document.querySelectorAll('td[data-label=Stored]')].map(cell =>"
                          + " cell.innerText).filter(text => !/^0 B/.test(text.trim()))");
          return !cells.isEmpty();
        });
    browser.picture("web-cluster");
    registerHostileNames();
    browser.awaitText(HOSTILE);
    assertThat(browser.driver().getTitle()).isEqualTo("Cluster · Sluice");
    assertThat(browser.driver().findElements(By.cssSelector("main img, main script"))).isEmpty();
    assertThat(browser.driver().findElements(By.cssSelector(".map .server"))).hasSize(3);
    assertThat(browser.driver().findElements(By.cssSelector(".plot canvas"))).hasSize(2);
    assertThat(browser.driver().findElements(By.cssSelector(".bars li"))).hasSize(3);
    fitsAPhone("web-phone");
    keepsFocusWhileValuesChange();
    followsTheColorTheme();

    browser.find(".map .server").click();
    browser.awaitText("Applications on this server");
    browser.await(
        "charts", () -> browser.driver().findElements(By.cssSelector(".plot canvas")).size() == 2);
    assertThat(browser.find("main").getText()).contains("Directory", "healthy", "Last heartbeat");
    assertThat(browser.find(".heading").getText()).contains("zone north");
    browser.picture("web-server");
    fitsAPhone("web-server-phone");

    openFromTheTable("#/applications/", "hostile");
    browser.awaitText("Data by server");
    browser.awaitText("shuffle 0");
    browser.dark(true);
    browser.await(
        "dark colours",
        () ->
            browser
                .run("return getComputedStyle(document.body).backgroundColor")
                .equals("rgb(14, 18, 23)"));
    browser.picture("web-application-dark");
    browser.dark(false);
    fitsAPhone("web-application-phone");

    openFromTheTable("/shuffles/", "-");
    browser.awaitText("Partitions written");
    browser.picture("web-shuffle");
    fitsAPhone("web-shuffle-phone");

    browser.open(base + "/#/finished");
    browser.awaitText("No application has finished yet.");
    browser.open(base + "/#/events");
    browser.awaitText("application registered");
    browser.picture("web-events");
    browser.open(base + "/#/servers/unknown");
    browser.awaitText("unknown server");
    browser.open(base + "/#/nothing");
    browser.awaitText("Page not found.");
    browser.open(base + "/#/");
    browser.awaitText("Assignment balance");
    browser.dark(true);
    browser.await(
        "charts", () -> browser.driver().findElements(By.cssSelector(".plot canvas")).size() == 2);
    browser.picture("web-cluster-dark");
    browser.dark(false);
  }

  /** No page is wider than a phone's screen. */
  private void fitsAPhone(String picture) throws IOException {
    browser.phone();
    assertThat(browser.run("return document.documentElement.scrollWidth")).isEqualTo(375L);
    browser.picture(picture);
    browser.desktop();
  }

  private void keepsFocusWhileValuesChange() {
    browser.run(
        "document.querySelector('main button.sort').focus();"
            + "window.was = document.activeElement; window.seen = 0;"
            + "new MutationObserver(() => window.seen++)"
            + ".observe(document.querySelector('main'), {subtree: true, childList: true,"
            + " characterData: true, attributes: true})");
    browser.await("a change", () -> (Long) browser.run("return window.seen") > 0);
    assertThat(browser.run("return document.activeElement === window.was")).isEqualTo(true);
    // Sorting from the keyboard.
    browser.driver().switchTo().activeElement().sendKeys(Keys.ENTER);
    assertThat(browser.run("return document.querySelector('th[aria-sort] button') === window.was"))
        .isEqualTo(true);
  }

  private void followsTheColorTheme() {
    String light = background();
    browser.dark(true);
    assertThat(background()).isNotEqualTo(light);
    browser.find("#theme").click(); // From the system theme to light.
    assertThat(background()).isEqualTo(light);
    browser.dark(false);
    browser.find("#theme").click(); // Dark.
    assertThat(background()).isNotEqualTo(light);
    browser.find("#theme").click();
    assertThat(background()).isEqualTo(light);
  }

  private String background() {
    return (String) browser.run("return getComputedStyle(document.body).backgroundColor");
  }

  private void openFromTheTable(String address, String without) {
    browser.driver().findElements(By.cssSelector("main table a")).stream()
        .filter(link -> String.valueOf(link.getDomAttribute("href")).contains(address))
        .filter(link -> !link.getText().equals(without))
        .findFirst()
        .orElseThrow()
        .click();
  }

  /** The job has ended; its page explains it from the last report of its driver. */
  private void showsTheFinishedApplication() {
    browser.open(base + "/#/finished");
    // The hostile application expires sooner or later, too.
    browser.awaitText("○ ended");
    openFromTheTable("#/applications/", "hostile");
    browser.awaitText("ended");
    browser.awaitText("Tasks pushed");
    assertThat(browser.driver().findElements(By.cssSelector("[data-label='Waits of tasks']")))
        .isNotEmpty();
    browser.open(base + "/#/");
    browser.awaitText("Assignment balance");
  }

  private void showsLostServers() throws Exception {
    ClusterNode victim = cluster.servers().get(0);
    victim.kill();
    browser.awaitText("is lost: last heartbeat");
    browser.awaitText("server lost");
    assertThat(browser.driver().findElements(By.cssSelector(".map .server.bad"))).hasSize(1);
    browser.picture("web-lost");
  }

  private void keepsItsValuesWhileTheCoordinatorIsDown() throws IOException {
    browser.offline(true);
    browser.await("error message", () -> browser.find("#problem").isDisplayed());
    assertThat(browser.find("#problem").getText())
        .contains("cannot be reached", "The data is", "old");
    assertThat(browser.text()).contains("Assignment balance");
    browser.picture("web-away");
    browser.offline(false);
    browser.await("recovery", () -> !browser.find("#problem").isDisplayed());
    assertThat(browser.find("#freshness").getText()).isEqualTo("live");
  }
}
