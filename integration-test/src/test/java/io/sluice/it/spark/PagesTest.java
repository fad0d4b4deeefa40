package io.sluice.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.cluster.TestCluster;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.FreePorts;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Sluice tab of a running application and in the history server. */
class PagesTest {
  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(90);
  private static final Pattern RECORDS =
      Pattern.compile("<tr><td>(\\d+)</td>.*?</tr>", Pattern.DOTALL);

  @TempDir Path directory;

  private final HttpClient http = HttpClient.newHttpClient();

  @Test
  void showsEveryShuffleLiveAndInTheHistoryServer() throws IOException, InterruptedException {
    Path log = Files.createDirectories(directory.resolve("events"));
    int port = new FreePorts(new Random()).next();
    String page;
    try (LocalCluster cluster = TestCluster.builder(directory.resolve("cluster")).build()) {
      cluster.start();
      String live = "http://127.0.0.1:" + port + "/sluice/";
      String[] seen = new String[1];
      try (ClusterProbe probe = new ClusterProbe(cluster)) {
        probe.awaitActiveServers(2, Duration.ofSeconds(30));
      }
      Outcome outcome =
          SparkApplication.onSluice(directory.resolve("pages"), cluster.quorum())
              .withOneExecutor()
              .set("spark.ui.enabled", "true")
              .set("spark.ui.port", Integer.toString(port))
              .set("spark.ui.showConsoleProgress", "false")
              .set("spark.eventLog.enabled", "true")
              .set("spark.eventLog.dir", log.toUri().toString())
              .at("look", () -> seen[0] = await(live, text -> read(text, 1)))
              .run(List.of("groupByKey", "sortByKey", "pause:look"));
      assertThat(outcome.exitCode()).as(outcome.log()).isZero();
      page = seen[0];
    }
    assertThat(page).contains("Built-in shuffles: </strong>0<");
    assertThat(rows(page)).isGreaterThanOrEqualTo(2);
    assertThat(page).contains("Written to local output: </strong>0 B<");

    String remembered = history(log);

    assertThat(rows(remembered)).isEqualTo(rows(page));
    assertThat(remembered).contains("Written to local output: </strong>0 B<");
  }

  /** Whether the page shows a written and read shuffle. */
  private static boolean read(String page, int shuffles) {
    return page.contains("sluice-shuffles")
        && rows(page) > shuffles
        && !page.contains("Read from servers: </strong>0 B<");
  }

  private static long rows(String page) {
    Matcher matcher = RECORDS.matcher(page.substring(page.indexOf("sluice-shuffles")));
    return matcher.results().count();
  }

  private String history(Path log) throws IOException, InterruptedException {
    int port = new FreePorts(new Random()).next();
    Process server = SparkApplication.historyServer(directory.resolve("history"), log, port);
    try {
      String base = "http://127.0.0.1:" + port;
      String applications =
          await(base + "/api/v1/applications", text -> text.contains("\"completed\" : true"));
      Matcher id = Pattern.compile("\"id\" : \"([^\"]+)\"").matcher(applications);
      assertThat(id.find()).as(applications).isTrue();
      String address = base + "/history/" + id.group(1) + "/sluice/";
      return await(address, text -> read(text, 1));
    } finally {
      server.destroyForcibly();
    }
  }

  /** Polls a page until it satisfies the condition. */
  private String await(String address, Predicate<String> wanted)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(address)).timeout(Duration.ofSeconds(30)).build();
    long deadline = System.nanoTime() + TIMEOUT_NANOS;
    String last = "";
    while (System.nanoTime() - deadline < 0) {
      try {
        HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
        last = answer.statusCode() + " " + answer.body();
        if (answer.statusCode() == 200 && wanted.test(answer.body())) {
          return answer.body();
        }
      } catch (IOException e) {
        // The page does not exist yet.
        last = e.toString();
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
    }
    throw new AssertionError(
        address + " did not return the expected page; last: " + last + listing());
  }

  private String listing() throws IOException {
    try (Stream<Path> files = Files.walk(directory, 3)) {
      return "\n" + files.map(Path::toString).toList();
    }
  }
}
