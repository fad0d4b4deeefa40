package io.sluice.it.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.common.auth.ProcessRole;
import io.sluice.common.auth.TestAuthority;
import io.sluice.common.auth.TestUsers;
import io.sluice.common.config.ConfigSet;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.coordinator.CoordinatorProcess;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.RegisterApplicationReply;
import io.sluice.proto.RegisterApplicationRequest;
import io.sluice.proto.Status;
import io.sluice.server.ServerConfig;
import io.sluice.server.ShuffleServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;

/**
 * The pages of a cluster with authentication: a user signs in with a token and uses admin buttons.
 */
@Timeout(120)
@EnabledIf("io.sluice.it.web.Browser#isInstalled")
class SignInPageTest {
  private static final String SECRET = "0123456789abcdef0123456789abcdef";

  private static final String COMPANY_USER = "svc+etl$1@CORP.EXAMPLE";

  private static final String LINKS = "a[href^='#/applications/']";

  @TempDir Path directory;
  private Browser browser;

  private final TestAuthority authority = new TestAuthority();

  private CoordinatorProcess coordinator() throws IOException {
    return CoordinatorProcess.start(
        ConfigSet.of(
            CoordinatorConfig.SCHEMA,
            secured(ProcessRole.COORDINATOR, Map.of("rss.coordinator.host", "127.0.0.1"))));
  }

  private ShuffleServerProcess server(CoordinatorProcess coordinator) throws IOException {
    return ShuffleServerProcess.start(
        ConfigSet.of(
            ServerConfig.SCHEMA,
            secured(
                ProcessRole.SERVER,
                Map.of(
                    "rss.coordinator.quorum", "127.0.0.1:" + coordinator.rpcPort(),
                    "rss.server.host", "127.0.0.1",
                    "rss.server.netty.port", "0",
                    "rss.storage.basePath", directory.resolve("disk").toString(),
                    "rss.server.heartbeat.interval", "200ms",
                    "rss.server.buffer.capacity", "16m"))));
  }

  private Map<String, String> secured(ProcessRole role, Map<String, String> more)
      throws IOException {
    Path users = directory.resolve("users");
    Files.writeString(
        users,
        TestUsers.line("ops", "admin", SECRET) + TestUsers.line(COMPANY_USER, "user", SECRET));
    Map<String, String> all = new HashMap<>(more);
    all.put("rss.rpc.server.port", "0");
    all.put("rss.jetty.http.port", "0");
    all.put("rss.security.authentication.enabled", "true");
    all.putAll(authority.files(directory, role));
    all.put("rss.security.users.file", users.toString());
    return all;
  }

  private void signIn(String user, String secret) {
    browser.find("input[name=user]").clear();
    browser.find("input[name=user]").sendKeys(user);
    browser.find("input[name=secret]").clear();
    browser.find("input[name=secret]").sendKeys(secret);
    browser.find("form.sign-in button").click();
  }

  private static void register(CoordinatorProcess coordinator) throws InterruptedException {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", coordinator.rpcPort())
            .usePlaintext()
            .intercept(TestUsers.proofs(COMPANY_USER, SECRET))
            .build();
    try {
      RegisterApplicationReply reply =
          CoordinatorGrpc.newBlockingStub(channel)
              .withDeadlineAfter(Duration.ofSeconds(60))
              .registerApplication(
                  RegisterApplicationRequest.newBuilder()
                      .setApplication(COMPANY_USER + "~app-1")
                      .build());
      assertThat(reply.getStatus()).isEqualTo(Status.OK);
    } finally {
      channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
    }
  }

  private List<WebElement> adminButtons() {
    return browser.driver().findElements(By.cssSelector("[data-key=operations] button"));
  }

  /** Clicks a button of the page and confirms the dialog. */
  private void clickAndConfirm(String label) {
    browser.await("button " + label, () -> !press("[data-key=operations] button", label).isEmpty());
    press("[data-key=operations] button", label).get(0).click();
    press("dialog button", label).get(0).click();
    browser.await(
        "the dialog to close",
        () -> browser.driver().findElements(By.cssSelector("dialog")).isEmpty());
  }

  private List<WebElement> press(String css, String label) {
    return browser.driver().findElements(By.cssSelector(css)).stream()
        .filter(button -> button.getText().equals(label))
        .toList();
  }

  @Test
  void anAdminSignsInAndUsesTheButtons() throws Exception {
    try (CoordinatorProcess coordinator = coordinator();
        ShuffleServerProcess server = server(coordinator);
        Browser opened = Browser.start()) {
      browser = opened;
      browser.desktop();
      browser.dark(false);
      String name = "127.0.0.1:" + server.rpcPort();
      String base = "http://127.0.0.1:" + coordinator.httpPort();

      browser.open(base + "/");
      browser.awaitText("Sign in to view this cluster.");
      browser.picture("web-sign-in");
      signIn("ops", SECRET + "x");
      browser.awaitText("Unknown user or wrong secret.");
      assertThat(browser.run("return sessionStorage.length")).isEqualTo(0L);

      signIn(COMPANY_USER, SECRET);
      browser.awaitText("No problems: 1 server");
      register(coordinator);
      browser.await(
          "a link to the application",
          () -> !browser.driver().findElements(By.cssSelector(LINKS)).isEmpty());
      browser.find(LINKS).click();
      browser.awaitText("Data by server");
      assertThat(browser.find("main").getText()).contains(COMPANY_USER + "~app-1");
      browser.open(base + "/#/servers/" + name);
      browser.awaitText("Applications on this server");
      assertThat(adminButtons()).isEmpty();
      assertThat(browser.find("#account").getText()).isEqualTo("Sign out " + COMPANY_USER);
      assertThat(browser.driver().manage().getCookies()).isEmpty();
      browser.driver().navigate().refresh();
      browser.awaitText("Applications on this server");

      browser.find("#account").click();
      browser.awaitText("Sign in to view this cluster.");
      signIn("ops", SECRET);
      browser.await("buttons", () -> adminButtons().size() == 3);
      clickAndConfirm("Exclude");
      browser.await("excluded", () -> browser.find(".heading").getText().contains("excluded"));
      browser.awaitText("server excluded");
      browser.picture("web-server-admin");
      clickAndConfirm("Include");
      browser.await("active", () -> browser.find(".heading").getText().contains("active"));
      clickAndConfirm("Decommission");
      browser.await("draining", () -> browser.find(".heading").getText().contains("draining"));
      clickAndConfirm("Cancel decommission");
      browser.await("active", () -> browser.find(".heading").getText().contains("active"));
      browser.phone();
      assertThat(browser.run("return document.documentElement.scrollWidth")).isEqualTo(375L);

      assertThat(browser.complaints())
          .allMatch(message -> message.contains("status of 401"), "requests of the sign-in");
    }
  }
}
