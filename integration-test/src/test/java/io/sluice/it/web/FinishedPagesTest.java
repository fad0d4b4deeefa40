package io.sluice.it.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.common.config.ConfigSet;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.coordinator.CoordinatorProcess;
import io.sluice.proto.ApplicationReport;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.CoordinatorGrpc.CoordinatorBlockingStub;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.proto.RegisterApplicationRequest;
import io.sluice.proto.ServerId;
import io.sluice.proto.ServerLoad;
import io.sluice.proto.ServerState;
import io.sluice.proto.ServerTime;
import io.sluice.proto.Status;
import io.sluice.proto.TaskReport;
import io.sluice.proto.UnregisterApplicationRequest;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;

/** Lists of finished applications and of events, page by page, and what delayed an application. */
@Timeout(120)
@Tag("nightly")
@EnabledIf("io.sluice.it.web.Browser#isInstalled")
class FinishedPagesTest {
  private CoordinatorProcess coordinator;
  private ManagedChannel channel;
  private String base;
  private Browser browser;

  @BeforeEach
  void start() throws Exception {
    coordinator =
        CoordinatorProcess.start(
            ConfigSet.of(
                CoordinatorConfig.SCHEMA,
                Map.of(
                    "rss.coordinator.host", "127.0.0.1",
                    "rss.rpc.server.port", "0",
                    "rss.jetty.http.port", "0")));
    base = "http://127.0.0.1:" + coordinator.httpPort();
    channel =
        NettyChannelBuilder.forAddress("127.0.0.1", coordinator.rpcPort()).usePlaintext().build();
    browser = Browser.start();
    browser.desktop();
    browser.dark(false);
  }

  @AfterEach
  void stop() throws InterruptedException {
    browser.close();
    channel.shutdownNow().awaitTermination(20, TimeUnit.SECONDS);
    coordinator.close();
  }

  private CoordinatorBlockingStub client() {
    return CoordinatorGrpc.newBlockingStub(channel).withDeadlineAfter(Duration.ofSeconds(60));
  }

  private void finish(String application, TaskReport report) {
    assertThat(
            client()
                .registerApplication(
                    RegisterApplicationRequest.newBuilder()
                        .setApplication(application)
                        .setUser("ann")
                        .setClientVersion("1")
                        .build())
                .getStatus())
        .isEqualTo(Status.OK);
    UnregisterApplicationRequest.Builder end =
        UnregisterApplicationRequest.newBuilder().setApplication(application);
    if (report != null) {
      end.setReport(ApplicationReport.newBuilder().setTasks(report));
    }
    assertThat(client().unregisterApplication(end.build()).getStatus()).isEqualTo(Status.OK);
  }

  private void heartbeat(String host, String zone) {
    assertThat(
            client()
                .heartbeat(
                    HeartbeatRequest.newBuilder()
                        .setServer(
                            ServerId.newBuilder()
                                .setName(host + ":1")
                                .setHost(host)
                                .setRpcPort(1)
                                .setEpoch(1)
                                .setZone(zone))
                        .setState(ServerState.ACTIVE)
                        .setLoad(ServerLoad.newBuilder().setMemoryCapacityBytes(1 << 30))
                        .build())
                .getStatus())
        .isEqualTo(Status.OK);
  }

  private static ServerTime waits(String server, long diskMs) {
    return ServerTime.newBuilder()
        .setServer(server)
        .setPushedBytes(3L << 30)
        .setReadBytes(2L << 30)
        .setPushWaitMs(diskMs + 4_000)
        .setReadWaitMs(900)
        .setDiskWaitMs(diskMs)
        .build();
  }

  private int rows() {
    return browser.driver().findElements(By.cssSelector("main tbody tr")).size();
  }

  private WebElement button(String label) {
    return browser.driver().findElements(By.cssSelector(".pager button")).stream()
        .filter(button -> button.getText().equals(label))
        .findFirst()
        .orElseThrow();
  }

  private void fitsAPhone(String picture) throws Exception {
    browser.phone();
    assertThat(browser.run("return document.documentElement.scrollWidth")).isEqualTo(375L);
    browser.picture(picture);
    browser.desktop();
  }

  @Test
  void showsListsPageByPage() throws Exception {
    for (int i = 0; i < 120; i++) {
      finish("app-" + i, null);
    }
    browser.open(base + "/#/finished");
    browser.awaitText("app-119");
    assertThat(rows()).isEqualTo(50);
    assertThat(button("Newest").isEnabled()).isFalse();
    browser.picture("web-finished");
    fitsAPhone("web-finished-phone");

    button("Older").click();
    browser.awaitText("app-69");
    button("Older").click();
    browser.await("the last page", () -> rows() == 20);
    assertThat(browser.text()).contains("app-19").doesNotContain("app-20");
    assertThat(button("Older").isEnabled()).isFalse();
    button("Newer").click();
    browser.awaitText("app-69");
    button("Newest").click();
    browser.awaitText("app-119");

    browser.find("input[type=search]").sendKeys("app-7");
    browser.await("applications that match", () -> rows() == 11);
    assertThat(browser.driver().findElements(By.cssSelector(".pager"))).isEmpty();

    browser.open(base + "/#/events");
    browser.awaitText("240 of 240");
    assertThat(browser.driver().findElements(By.cssSelector(".pager"))).isEmpty();
    for (int i = 120; i < 260; i++) {
      finish("app-" + i, null);
    }
    browser.awaitText("500 of 500 on this page");
    button("Older").click();
    browser.awaitText("20 of 20");
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void explainsAFinishedApplicationAndShowsZones() throws Exception {
    heartbeat("a", "north");
    heartbeat("b", "south");
    finish(
        "slow",
        TaskReport.newBuilder()
            .setPushedBytes(6L << 30)
            .setReadBytes(4L << 30)
            .setLocalWrittenBytes(5 << 20)
            .setConcurrentTasks(8)
            .setPushRetries(7)
            .addServers(waits("a:1", 240_000))
            .addServers(waits("b:1", 2_000))
            .build());
    finish("silent", null);

    browser.open(base + "/#/");
    browser.awaitText("2 known in 2 zones");
    browser.awaitText("zone north");
    browser.open(base + "/#/applications/slow");
    browser.awaitText("disks of a:1");
    assertThat(browser.driver().findElements(By.cssSelector(".causes li")).get(0).getText())
        .startsWith("disks of a:1: about 30 s of the job, 3 min 58 s of its tasks")
        .contains("Check the disks of this server");
    assertThat(browser.text()).contains("Tasks pushed 6 GiB and read 4 GiB", "4 min 5 s");
    browser.picture("web-explanation");
    fitsAPhone("web-explanation-phone");
    browser.dark(true);
    browser.picture("web-explanation-dark");
    browser.dark(false);
    browser.open(base + "/#/applications/silent");
    browser.awaitText("The driver has not reported its tasks.");
    browser.open(base + "/#/servers/a:1");
    browser.awaitText("zone north");
    browser.picture("web-zone");
    assertThat(browser.complaints()).isEmpty();
  }
}
