package io.sluice.it.mapreduce;

import io.sluice.localcluster.YarnCluster;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Metrics of the resource manager and, through its proxy, the REST APIs of application masters.
 * Values are empty for an application master that is starting or has ended. The resource manager's
 * REST API is not available in a mini cluster, where all servers are in one process.
 */
final class YarnRest {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final int OK = 200;
  private static final Pattern ADDRESS =
      Pattern.compile(
          "<name>yarn\\.resourcemanager\\.webapp\\.address</name>\\s*<value>([^<]+)</value>");

  private final YarnCluster cluster;
  private final HttpClient http = HttpClient.newHttpClient();

  /**
   * @param cluster borrows; started before the first call
   */
  YarnRest(YarnCluster cluster) {
    this.cluster = cluster;
  }

  /** Number of node managers that the resource manager considers lost. */
  int lostNodes() throws IOException, InterruptedException {
    return get("/jmx?qry=Hadoop:service=ResourceManager,name=ClusterMetrics")
        .flatMap(metrics -> first(Pattern.compile("\"NumLostNMs\"\\s*:\\s*(\\d+)"), metrics))
        .map(Integer::parseInt)
        .orElseThrow(() -> new IOException("the resource manager reports no number of lost nodes"));
  }

  /** Successful map and reduce tasks according to the application master. */
  int completedTasks(String application) throws IOException, InterruptedException {
    return ofMaster(application, "")
        .map(
            job ->
                Pattern.compile("\"(?:maps|reduces)Completed\":(\\d+)")
                    .matcher(job)
                    .results()
                    .mapToInt(match -> Integer.parseInt(match.group(1)))
                    .sum())
        .orElse(0);
  }

  /**
   * The successful attempts of map tasks, such as {@code attempt_1700000000000_0001_m_000002_0}.
   */
  List<String> successfulMaps(String application) throws IOException, InterruptedException {
    Pattern attempt = Pattern.compile("\"successfulAttempt\":\"(attempt_\\d+_\\d+_m_\\d+_\\d+)\"");
    return ofMaster(application, "/tasks").stream()
        .flatMap(tasks -> attempt.matcher(tasks).results())
        .map((MatchResult match) -> match.group(1))
        .toList();
  }

  private Optional<String> ofMaster(String application, String path)
      throws IOException, InterruptedException {
    String job = application.replace("application_", "job_");
    return get("/proxy/" + application + "/ws/v1/mapreduce/jobs/" + job + path);
  }

  private Optional<String> get(String path) throws IOException, InterruptedException {
    String settings = Files.readString(cluster.configuration().resolve("yarn-site.xml"));
    String address =
        first(ADDRESS, settings)
            .orElseThrow(() -> new IOException("no address of the resource manager's REST API"));
    HttpResponse<String> reply =
        http.send(
            HttpRequest.newBuilder(URI.create("http://" + address + path))
                .header("Accept", "application/json")
                .timeout(TIMEOUT)
                .build(),
            HttpResponse.BodyHandlers.ofString());
    return reply.statusCode() == OK ? Optional.of(reply.body()) : Optional.empty();
  }

  private static Optional<String> first(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
  }
}
