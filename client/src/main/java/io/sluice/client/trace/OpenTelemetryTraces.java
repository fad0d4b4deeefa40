package io.sluice.client.trace;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.PushCounters;
import io.sluice.client.read.ReadCounters;
import io.sluice.client.read.ShuffleReadRequest;
import io.sluice.client.server.ServerTimes;
import io.sluice.client.server.ServerTimes.ServerTime;
import io.sluice.proto.ShuffleId;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * A span for each push and each read, below the span of the task thread, and below it a span for
 * each server. Spans of servers have the times of their parent: a task exchanges data with all of
 * them at once. Their attributes show how long the task waited for each.
 */
final class OpenTelemetryTraces implements TaskTraces {
  private static final String NAME = "io.sluice";
  private static final double NANOS_PER_SECOND = 1e9;

  /** Bounds the spans of a task in clusters with many servers. */
  static final int MAX_SERVERS = 32;

  private static final Comparator<Map.Entry<String, ServerTime>> LONGEST_WAIT_FIRST =
      Comparator.<Map.Entry<String, ServerTime>>comparingLong(one -> one.getValue().waitNanos())
          .reversed()
          .thenComparing(Map.Entry::getKey);

  private final Supplier<Tracer> tracer;
  private final Supplier<Instant> now;

  /**
   * @param now time of spans
   */
  OpenTelemetryTraces(Supplier<Tracer> tracer, Supplier<Instant> now) {
    this.tracer = tracer;
    this.now = now;
  }

  /**
   * Uses the tracer of the process: of the Java agent, or the one that the job has set. It is
   * requested for each span, because a job may set it later.
   *
   * @throws NoClassDefFoundError if the API is not on the class path
   */
  static OpenTelemetryTraces global() {
    Context unused = Context.root();
    return new OpenTelemetryTraces(() -> GlobalOpenTelemetry.get().getTracer(NAME), Instant::now);
  }

  @Override
  public BiConsumer<PushCounters, Throwable> push(ShuffleId shuffle, MapAttempt attempt) {
    OpenSpan open =
        begin(
            builder("sluice push", shuffle)
                .setAttribute("sluice.map.index", attempt.mapIndex())
                .setAttribute("sluice.map.attempt", attempt.id()));
    return (counters, failure) -> {
      open.span
          .setAttribute("sluice.bytes", counters.bytes())
          .setAttribute("sluice.uncompressed.bytes", counters.uncompressedBytes())
          .setAttribute("sluice.records", counters.records())
          .setAttribute("sluice.requests", counters.frames())
          .setAttribute("sluice.retries", counters.retries())
          .setAttribute("sluice.wait.seconds", seconds(counters.waitNanos()))
          .setAttribute("sluice.local.bytes", counters.rerouted().localBytes())
          .setAttribute("sluice.rerouted.requests", counters.rerouted().reroutedFrames())
          .setAttribute("sluice.replacement.servers", counters.rerouted().replacementServers());
      open.end(counters.servers(), failure);
    };
  }

  @Override
  public BiConsumer<ReadCounters, Throwable> read(ShuffleReadRequest request) {
    OpenSpan open =
        begin(
            builder("sluice read", request.assignment().shuffle())
                .setAttribute("sluice.partition.first", request.firstPartition())
                .setAttribute("sluice.partitions", request.partitions()));
    return (counters, failure) -> {
      open.span
          .setAttribute("sluice.bytes", counters.bytes())
          .setAttribute("sluice.uncompressed.bytes", counters.uncompressedBytes())
          .setAttribute("sluice.records", counters.records())
          .setAttribute("sluice.requests", counters.requests().fetches())
          .setAttribute("sluice.retries", counters.requests().retries())
          .setAttribute("sluice.wait.seconds", seconds(counters.waitNanos()))
          .setAttribute("sluice.local.bytes", counters.local().bytes())
          .setAttribute("sluice.file.bytes", counters.files().bytes());
      open.end(counters.servers(), failure);
    };
  }

  private SpanBuilder builder(String name, ShuffleId shuffle) {
    return tracer
        .get()
        .spanBuilder(name)
        .setAttribute("sluice.application", shuffle.getApplication())
        .setAttribute("sluice.shuffle", shuffle.getShuffle());
  }

  private OpenSpan begin(SpanBuilder builder) {
    Instant start = now.get();
    return new OpenSpan(builder.setStartTimestamp(start).startSpan(), start);
  }

  private static double seconds(long nanos) {
    return nanos / NANOS_PER_SECOND;
  }

  /** The span of a push or a read that has not ended. */
  private final class OpenSpan {
    private final Span span;
    private final Instant start;

    OpenSpan(Span span, Instant start) {
      this.span = span;
      this.start = start;
    }

    void end(ServerTimes servers, Throwable failure) {
      Instant end = now.get();
      span.setAttribute("sluice.servers", servers.byServer().size());
      if (span.isRecording()) {
        servers.byServer().entrySet().stream()
            .sorted(LONGEST_WAIT_FIRST)
            .limit(MAX_SERVERS)
            .forEach(one -> addServer(one.getKey(), one.getValue(), end));
      }
      if (failure != null) {
        span.recordException(failure)
            .setStatus(StatusCode.ERROR, String.valueOf(failure.getMessage()));
      }
      span.end(end);
    }

    private void addServer(String server, ServerTime time, Instant end) {
      tracer
          .get()
          .spanBuilder("sluice server")
          .setSpanKind(SpanKind.CLIENT)
          .setParent(Context.current().with(span))
          .setStartTimestamp(start)
          .setAttribute("sluice.server", server)
          .setAttribute("sluice.bytes", time.bytes())
          .setAttribute("sluice.wait.seconds", seconds(time.waitNanos()))
          .setAttribute("sluice.wait.memory.seconds", seconds(time.memoryNanos()))
          .setAttribute("sluice.wait.disk.seconds", seconds(time.diskNanos()))
          .startSpan()
          .end(end);
    }
  }
}
