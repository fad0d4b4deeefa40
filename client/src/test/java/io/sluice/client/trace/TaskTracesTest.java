package io.sluice.client.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.push.FramedPushSession;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.PushCounters;
import io.sluice.client.read.BlocksMissingException;
import io.sluice.client.read.PooledShuffleRead;
import io.sluice.client.read.ShuffleReadRequest;
import io.sluice.client.server.ServerTimes;
import io.sluice.client.server.ServerTimes.ServerTime;
import io.sluice.proto.ShuffleId;
import java.io.File;
import java.io.InterruptedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The spans of pushes and reads. */
class TaskTracesTest {
  private static final AttributeKey<Long> BYTES = AttributeKey.longKey("sluice.bytes");
  private static final AttributeKey<String> SERVER = AttributeKey.stringKey("sluice.server");
  private static final AttributeKey<Double> WAIT = AttributeKey.doubleKey("sluice.wait.seconds");
  private static final AttributeKey<Long> RECORDS = AttributeKey.longKey("sluice.records");
  private static final String SLOW = "server-1";
  private static final int PARTITIONS = 4;
  private static final int BLOCK_BYTES = 20_000;

  private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
  private final SdkTracerProvider provider =
      SdkTracerProvider.builder().addSpanProcessor(SimpleSpanProcessor.create(exporter)).build();
  private long nowSecond;
  private final TaskTraces traces =
      new OpenTelemetryTraces(() -> provider.get("test"), () -> Instant.ofEpochSecond(++nowSecond));

  @AfterEach
  void close() {
    provider.close();
  }

  private FakeCluster cluster() {
    FakeCluster cluster = FakeCluster.delayed(2, server -> server.equals(SLOW) ? 1_000_000 : 1_000);
    cluster.use(traces);
    return cluster;
  }

  private static void push(FakeCluster cluster, ShuffleAssignment assignment) throws Exception {
    byte[] noise = new byte[BLOCK_BYTES];
    new Random(1).nextBytes(noise);
    try (FramedPushSession session = cluster.push(assignment, 7, 3)) {
      for (int partition = 0; partition < PARTITIONS; partition++) {
        session.add(partition, noise, 0, noise.length, 1);
      }
      session.finish();
    }
  }

  private static ShuffleReadRequest request(ShuffleAssignment assignment) {
    ShuffleReadRequest.Builder request = ShuffleReadRequest.builder(assignment);
    for (int partition = 1; partition < PARTITIONS; partition++) {
      request.expect(partition, 7, 3);
    }
    return request.build();
  }

  private List<SpanData> spans(String name) {
    return exporter.getFinishedSpanItems().stream()
        .filter(span -> span.getName().equals(name))
        .toList();
  }

  private SpanData span(String name) {
    assertThat(spans(name)).hasSize(1);
    return spans(name).get(0);
  }

  @Test
  void aPushAndAReadHaveSpansBelowTheSpanOfTheTask() throws Exception {
    Span task = provider.get("engine").spanBuilder("task").startSpan();
    try (FakeCluster cluster = cluster();
        Scope scope = task.makeCurrent()) {
      assertThat(scope).isNotNull();
      ShuffleAssignment assignment = cluster.assign(PARTITIONS, 2, 1);
      push(cluster, assignment);
      try (PooledShuffleRead read = cluster.read(request(assignment))) {
        while (read.next() != null) {}
      }
    }

    SpanData push = span("sluice push");
    SpanData read = span("sluice read");
    for (SpanData span : List.of(push, read)) {
      assertThat(span.getParentSpanId()).isEqualTo(task.getSpanContext().getSpanId());
      assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
      assertThat(span.getAttributes().asMap())
          .containsEntry(AttributeKey.stringKey("sluice.application"), "app")
          .containsEntry(AttributeKey.longKey("sluice.shuffle"), 7L)
          .containsEntry(AttributeKey.longKey("sluice.servers"), 2L);
    }
    assertThat(push.getAttributes().asMap())
        .containsEntry(AttributeKey.longKey("sluice.map.index"), 3L)
        .containsEntry(AttributeKey.longKey("sluice.map.attempt"), 7L)
        .containsEntry(RECORDS, (long) PARTITIONS);
    assertThat(read.getAttributes().asMap())
        .containsEntry(AttributeKey.longKey("sluice.partition.first"), 1L)
        .containsEntry(AttributeKey.longKey("sluice.partitions"), PARTITIONS - 1L)
        .containsEntry(RECORDS, PARTITIONS - 1L);
    assertThat(push.getAttributes().get(BYTES)).isGreaterThan(PARTITIONS * BLOCK_BYTES);
  }

  @Test
  void eachServerHasASpanWithItsPartOfTheWait() throws Exception {
    try (FakeCluster cluster = cluster()) {
      push(cluster, cluster.assign(PARTITIONS, 2, 1));
    }

    SpanData push = span("sluice push");
    List<SpanData> servers = spans("sluice server");
    // The server with the longest wait is the first one.
    assertThat(servers)
        .extracting(span -> span.getAttributes().get(SERVER))
        .containsExactly(SLOW, "server-0");
    for (SpanData server : servers) {
      assertThat(server.getKind()).isEqualTo(SpanKind.CLIENT);
      assertThat(server.getParentSpanId()).isEqualTo(push.getSpanId());
      assertThat(server.getStartEpochNanos()).isEqualTo(push.getStartEpochNanos());
      assertThat(server.getEndEpochNanos()).isEqualTo(push.getEndEpochNanos());
    }
    double wait = push.getAttributes().get(WAIT);
    assertThat(servers.stream().mapToDouble(span -> span.getAttributes().get(WAIT)).sum())
        .isCloseTo(wait, within(1e-9));
    assertThat(servers.get(0).getAttributes().get(WAIT)).isGreaterThan(wait * 0.9);
  }

  @Test
  void aFailedReadHasAnErrorThatNamesItsCause() throws Exception {
    try (FakeCluster cluster = cluster()) {
      ShuffleAssignment assignment = cluster.assign(PARTITIONS, 2, 1);
      try (PooledShuffleRead read = cluster.read(request(assignment))) {
        assertThatThrownBy(read::next).isInstanceOf(BlocksMissingException.class);
      }
    }

    SpanData read = span("sluice read");
    assertThat(read.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    assertThat(read.getStatus().getDescription()).isNotEmpty();
    assertThat(read.getEvents()).singleElement().extracting("name").isEqualTo("exception");
  }

  @Test
  void aFailedPushHasAnError() throws Exception {
    try (FakeCluster cluster = cluster();
        FramedPushSession session = cluster.push(cluster.assign(PARTITIONS, 2, 1), 7, 3)) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(
              () -> {
                session.add(0, new byte[10], 0, 10, 1);
                session.finish();
              })
          .isInstanceOf(InterruptedIOException.class);
      assertThat(Thread.interrupted()).isTrue();
    }

    assertThat(span("sluice push").getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
  }

  @Test
  void onlyTheServersWithTheLongestWaitsHaveSpans() {
    Map<String, ServerTime> times = new HashMap<>();
    for (int i = 0; i < 100; i++) {
      times.put("server-" + i, new ServerTime(1, i, 0, 0));
    }
    PushCounters counters =
        new PushCounters(
            0, 0, 0, 0, 0, 0, 0, 0, PushCounters.ZERO.rerouted(), new ServerTimes(times));
    traces.push(ShuffleId.getDefaultInstance(), new MapAttempt(1, 0)).accept(counters, null);

    assertThat(spans("sluice server"))
        .hasSize(OpenTelemetryTraces.MAX_SERVERS)
        .first()
        .extracting(span -> span.getAttributes().get(SERVER))
        .isEqualTo("server-99");
    assertThat(span("sluice push").getAttributes().get(AttributeKey.longKey("sluice.servers")))
        .isEqualTo(100);
  }

  @Test
  void withoutTheApiOnTheClassPathNothingIsTraced() throws Exception {
    List<URL> urls = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      if (!entry.contains("opentelemetry")) {
        urls.add(Path.of(entry).toUri().toURL());
      }
    }
    try (URLClassLoader loader =
        new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      Class<?> type = loader.loadClass(TaskTraces.class.getName());

      assertThat(type.getMethod("of", boolean.class).invoke(null, true))
          .isSameAs(type.getField("NONE").get(null));
    }
  }
}
