package io.sluice.benchmark.load;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.cli.bench.BenchCluster;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockHeader;
import io.sluice.proto.Push;
import io.sluice.proto.ServerId;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.DataTransport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * An application that pushes frames at a fixed rate over several connections, independent of
 * response times. The latency of a push is measured from the time when it was due. A connection
 * with too many pushes in flight skips a push, which is counted. Thread-safe.
 */
final class HugeLoad implements AutoCloseable {
  private static final long MAX_LATENCY_US = 600_000_000;

  /**
   * Parameters of the load.
   *
   * @param partitions number of partitions; blocks are distributed round-robin
   * @param blocksPerFrame number of blocks in a frame, all of one map attempt
   * @param framesPerSecond rate of all connections
   * @param inFlight maximum number of pushes in flight per connection
   */
  record Shape(
      int connections,
      int partitions,
      int blocksPerFrame,
      int payloadLength,
      double framesPerSecond,
      int inFlight) {
    int frameLength() {
      return blocksPerFrame * (payloadLength + BlockHeader.LENGTH);
    }
  }

  private final BenchCluster cluster;
  private final Shape shape;
  private final byte[] payload;
  private final ScheduledExecutorService scheduler;
  private final LongSupplier nanoTime;
  private final List<DataConnection> connections = new ArrayList<>();
  private final List<AtomicInteger> pushesInFlight = new ArrayList<>();
  private final AtomicLong attempts = new AtomicLong();
  private final AtomicLong skipped = new AtomicLong();
  private final AtomicLong pushedBytes = new AtomicLong();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private volatile Histogram latencyUs = newHistogram();
  private ScheduledFuture<?> turns;

  /**
   * @param cluster takes; already registered
   * @param scheduler borrowed
   * @param payload borrowed; at least as long as the payload of a block
   */
  HugeLoad(
      BenchCluster cluster,
      Shape shape,
      byte[] payload,
      ScheduledExecutorService scheduler,
      LongSupplier nanoTime) {
    this.cluster = cluster;
    this.shape = shape;
    this.payload = payload;
    this.scheduler = scheduler;
    this.nanoTime = nanoTime;
  }

  static Histogram newHistogram() {
    return new ConcurrentHistogram(MAX_LATENCY_US, 3);
  }

  void connect(DataTransport transport, ServerId server, long timeoutMs)
      throws IOException, InterruptedException {
    for (int i = 0; i < shape.connections(); i++) {
      try {
        connections.add(
            transport
                .connect(server, cluster.application(), "bench-" + i)
                .get(timeoutMs, TimeUnit.MILLISECONDS));
        pushesInFlight.add(new AtomicInteger());
      } catch (ExecutionException | TimeoutException e) {
        throw new IOException("cannot connect to " + server.getName() + ": " + e.getMessage(), e);
      }
    }
  }

  /** Starts to push and records latencies in {@code histogram}. */
  void begin(Histogram histogram) {
    latencyUs = histogram;
    long everyNanos = (long) (TimeUnit.SECONDS.toNanos(1) / shape.framesPerSecond());
    AtomicLong due = new AtomicLong(nanoTime.getAsLong());
    turns =
        scheduler.scheduleAtFixedRate(
            () -> push(due.getAndAdd(everyNanos)), 0, everyNanos, TimeUnit.NANOSECONDS);
  }

  /** Stops pushing. */
  void end() {
    if (turns != null) {
      turns.cancel(false);
    }
  }

  /** Number of pushes that were skipped because too many were in flight. */
  long skipped() {
    return skipped.get();
  }

  long pushedBytes() {
    return pushedBytes.get();
  }

  /**
   * @throws IOException if a push has failed; the cause is the first failure
   */
  void check() throws IOException {
    Throwable first = failure.get();
    if (first != null) {
      throw new IOException("push of " + cluster.application() + " failed: " + first, first);
    }
  }

  /** Stops pushing and unregisters the application. */
  @Override
  public void close() {
    end();
    connections.forEach(DataConnection::close);
    cluster.forget();
    cluster.close();
  }

  private void push(long dueNanos) {
    long attempt = attempts.getAndIncrement();
    int at = (int) (attempt % connections.size());
    AtomicInteger open = pushesInFlight.get(at);
    if (open.get() >= shape.inFlight() || failure.get() != null) {
      skipped.incrementAndGet();
      return;
    }
    open.incrementAndGet();
    DataConnection connection = connections.get(at);
    Push head =
        Push.newBuilder().setShuffle(cluster.shuffle()).setEpoch(connection.epoch()).build();
    Histogram histogram = latencyUs;
    CompletableFuture<?> answer = connection.push(head, frame(attempt));
    var unused =
        answer.whenComplete(
            (ack, problem) -> {
              open.decrementAndGet();
              if (problem != null) {
                failure.compareAndSet(null, problem);
                return;
              }
              long micros = TimeUnit.NANOSECONDS.toMicros(nanoTime.getAsLong() - dueNanos);
              histogram.recordValue(Math.min(MAX_LATENCY_US, Math.max(0, micros)));
              pushedBytes.addAndGet(shape.frameLength());
            });
  }

  /**
   * Returns owned a frame with the blocks of one map attempt; blocks of a partition are adjacent.
   */
  private ByteBuf frame(long attempt) {
    ByteBuf frame = PooledByteBufAllocator.DEFAULT.directBuffer(shape.frameLength());
    int count = shape.blocksPerFrame();
    int spread = Math.min(count, shape.partitions());
    int first = (int) (attempt * spread % shape.partitions());
    for (int i = 0; i < spread; i++) {
      int blocks = count / spread + (i < count % spread ? 1 : 0);
      for (int sequence = 0; sequence < blocks; sequence++) {
        int at = frame.writerIndex();
        frame.writerIndex(at + BlockHeader.LENGTH);
        frame.writeBytes(payload, 0, shape.payloadLength());
        BlockFormat.seal(
            frame,
            at,
            new BlockHeader(
                attempt,
                (int) (attempt & Integer.MAX_VALUE),
                (first + i) % shape.partitions(),
                sequence,
                1,
                shape.payloadLength(),
                shape.payloadLength(),
                BlockCodec.NONE,
                sequence == blocks - 1 ? BlockHeader.FLAG_LAST : 0));
      }
    }
    return frame;
  }
}
