package io.sluice.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.cluster.TestCluster;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The explanation of a Spark application with one large key, from the report that its driver sent
 * at its end. Slow disks and slow servers are in {@code io.sluice.simulation.ExplainTest}.
 */
@Tag("nightly")
class ExplainTest {
  @TempDir Path directory;

  private final HttpClient http = HttpClient.newHttpClient();

  @Test
  void namesTheSkewOfOneLargeKeyFirst() throws IOException, InterruptedException {
    try (LocalCluster cluster = TestCluster.builder(directory.resolve("cluster")).build()) {
      cluster.start();
      try (ClusterProbe probe = new ClusterProbe(cluster)) {
        probe.awaitActiveServers(2, Duration.ofSeconds(60));
      }
      Outcome outcome =
          SparkApplication.onSluice(directory.resolve("skewed"), cluster.quorum())
              .run(List.of("oneLargeKey"));
      assertThat(outcome.exitCode()).as(outcome.log()).isZero();

      String application = get(cluster, "applications").at("/applications/0/name").asString();
      JsonNode explanation = get(cluster, "applications/" + application + "/explanation");

      JsonNode first = explanation.at("/causes/0");
      assertThat(first.get("cause").asString()).as(explanation.toString()).isEqualTo("SKEW");
      assertThat(first.get("shuffle").asInt()).isZero();
      assertThat(first.get("jobMs").asLong()).isPositive();
      assertThat(explanation.get("concurrentTasks").asInt()).isEqualTo(2);
      assertThat(explanation.get("readBytes").asLong())
          .isEqualTo(explanation.get("pushedBytes").asLong())
          .isPositive();
      assertThat(explanation.get("servers")).hasSize(2);
    }
  }

  private JsonNode get(LocalCluster cluster, String path) throws IOException, InterruptedException {
    URI address =
        URI.create("http://127.0.0.1:" + cluster.coordinator().httpPort() + "/api/v1/" + path);
    HttpResponse<String> answer =
        http.send(
            HttpRequest.newBuilder(address).timeout(Duration.ofSeconds(60)).build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return JsonMapper.shared().readTree(answer.body());
  }
}
