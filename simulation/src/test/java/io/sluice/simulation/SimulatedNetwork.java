package io.sluice.simulation;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.client.fake.VirtualTime;
import io.sluice.common.error.SluiceException;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloReply;
import io.sluice.proto.ServerId;
import io.sluice.server.model.SimulatedServer;
import io.sluice.transport.client.ConnectionLostException;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.DataTransport;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;

/**
 * The network between clients, servers and coordinators. Connections overtake each other. With a
 * probability per message, a connection is cut, stands still for a while, or becomes half-open: one
 * direction drops everything. A process can be cut off from all others. Belongs to a simulation.
 */
final class SimulatedNetwork {
  private static final long MAX_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(4);
  private static final long MAX_LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);
  private static final long MAX_STALL_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** Number of messages of which one arrives in parts, on average. */
  private static final int PARTED = 4;

  private static final long CONNECT_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final SimulatedThreads time;
  private final Random random;
  private final ByteBufAllocator allocator;
  private final Map<String, SimulatedServer> servers = new LinkedHashMap<>();
  private final Set<SimulatedConnection> connections = new LinkedHashSet<>();

  /** End of the time in which a process is cut off, by its name. */
  private final Map<String, Long> isolatedUntil = new HashMap<>();

  /** Processes that stay cut off when the faults end. */
  private final Set<String> absent = new HashSet<>();

  /** Maximum time between the parts of a message. */
  private long maxPartDelayNanos = MAX_DELAY_NANOS;

  private int cutPermille;
  private int stallPermille;
  private int halfOpenPermille;
  private BiConsumer<SimulatedServer, Exception> onReadFailure = (server, cause) -> {};
  private long messages;
  private long faults;

  SimulatedNetwork(SimulatedThreads time, Random random, ByteBufAllocator allocator) {
    this.time = time;
    this.random = random;
    this.allocator = allocator;
  }

  void add(SimulatedServer server) {
    servers.put(server.name(), server);
  }

  /** Parts of a message follow each other late, as with busy links and event loops. */
  void beLate() {
    maxPartDelayNanos = MAX_LATE_NANOS;
  }

  /** Sets how many of a thousand messages cut their connection. */
  void cutPermille(int permille) {
    cutPermille = permille;
  }

  /** Sets how many of a thousand messages stand still for a while. */
  void stallPermille(int permille) {
    stallPermille = permille;
  }

  /** Sets how many of a thousand requests make their connection half-open. */
  void halfOpenPermille(int permille) {
    halfOpenPermille = permille;
  }

  /**
   * Ends all faults, but those of {@link #isolateBeyondFaults}; connections that are half-open stay
   * so until their requests time out.
   */
  void endFaults() {
    cutPermille = 0;
    stallPermille = 0;
    halfOpenPermille = 0;
    isolatedUntil.keySet().retainAll(absent);
  }

  /** Cuts a process off from all others for a time; its connections then continue. */
  void isolate(String name, long nanos) {
    isolatedUntil.merge(name, time.nanoTime() + nanos, Math::max);
  }

  /** As {@link #isolate}; the process stays cut off when the faults end. */
  void isolateBeyondFaults(String name, long nanos) {
    absent.add(name);
    isolate(name, nanos);
  }

  /** Whether any process is cut off. */
  boolean isAnyIsolated() {
    return isolatedUntil.keySet().stream().anyMatch(this::isIsolated);
  }

  /** Whether a process is cut off. */
  boolean isIsolated(String name) {
    return isolatedUntil(name) > time.nanoTime();
  }

  /** End of the time in which a process is cut off, or an earlier time. */
  long isolatedUntil(String name) {
    return isolatedUntil.getOrDefault(name, 0L);
  }

  long nowNanos() {
    return time.nanoTime();
  }

  /** Messages that were sent. */
  long messages() {
    return messages;
  }

  /** Messages that met a fault. */
  long faults() {
    return faults;
  }

  /** Cuts every connection to a server, as the end of its process does. */
  void cut(SimulatedServer server) {
    cut(server.name());
  }

  /** As the other. */
  void cut(String server) {
    List.copyOf(connections).stream()
        .filter(one -> one.server().name().equals(server))
        .forEach(SimulatedConnection::cut);
  }

  /** A random time on the way, in nanoseconds. */
  long delayNanos() {
    messages++;
    return random.nextLong(MAX_DELAY_NANOS);
  }

  /** A random time on the way, which is long for some messages. */
  long delayOrStallNanos() {
    boolean stalls = happens(stallPermille);
    return delayNanos() + (stalls ? random.nextLong(MAX_STALL_NANOS) : 0);
  }

  /** A random time between two parts of a message, mostly 0. */
  long partDelayNanos() {
    if (random.nextInt(PARTED) > 0) {
      return 0;
    }
    boolean stalls = happens(stallPermille * PARTED);
    return random.nextLong(stalls ? MAX_STALL_NANOS : maxPartDelayNanos);
  }

  /** A random time until the event loop of a connection runs. */
  long retryDelayNanos() {
    return random.nextLong(maxPartDelayNanos);
  }

  /** Whether a message is lost now, with its connection. */
  boolean loses() {
    return happens(cutPermille);
  }

  /** Whether the rest of a message that arrives in parts is lost, with its connection. */
  boolean losesPart() {
    return happens(cutPermille * PARTED);
  }

  /** Whether a connection becomes half-open now. */
  boolean becomesHalfOpen() {
    return happens(halfOpenPermille);
  }

  /** Which of two directions of a connection fails. */
  boolean eitherWay() {
    return random.nextBoolean();
  }

  private boolean happens(int permille) {
    boolean now = permille > 0 && random.nextInt(1000) < permille;
    faults += now ? 1 : 0;
    return now;
  }

  /** The server's end of a connection is gone. */
  void ended(SimulatedConnection connection) {
    connections.remove(connection);
  }

  /**
   * Connections whose end has not arrived at their server, which keeps unsent replies until then.
   */
  int openConnections() {
    return connections.size();
  }

  /** A server could not read its own file, although the connection and the process continue. */
  void readFailed(SimulatedServer server, Exception cause) {
    onReadFailure.accept(server, cause);
  }

  /** Sets a listener for reads of files that fail at a server. */
  void onReadFailure(BiConsumer<SimulatedServer, Exception> listener) {
    onReadFailure = listener;
  }

  /** A reply for which a thread of the simulation can wait. */
  static final class Reply<T> extends CompletableFuture<T> {
    private final SimulatedThreads time;

    Reply(SimulatedThreads time) {
      this.time = time;
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
      return new Reply<>(time);
    }

    @Override
    public T get(long timeout, TimeUnit unit)
        throws InterruptedException, ExecutionException, TimeoutException {
      if (!isDone()) {
        VirtualTime.Signal done = new VirtualTime.Signal();
        CompletableFuture<T> unused = whenComplete((answer, failure) -> done.give());
        boolean given = time.await(done, time.nanoTime() + unit.toNanos(timeout));
        if (!given) {
          throw new TimeoutException();
        }
      }
      return super.get(0, TimeUnit.NANOSECONDS);
    }
  }

  /** Returns the transport of one process, whose connections end with it. */
  DataTransport transport(String client) {
    return new Transport(client);
  }

  private final class Transport implements DataTransport {
    private final String name;
    private final Set<SimulatedConnection> own = new LinkedHashSet<>();
    private boolean closed;

    Transport(String name) {
      this.name = name;
    }

    @Override
    public CompletableFuture<DataConnection> connect(
        ServerId id, String application, String client) {
      Reply<DataConnection> result = new Reply<>(time);
      SimulatedServer server = servers.get(id.getName());
      boolean unreachable =
          isIsolated(id.getName())
              || isIsolated(name)
              || server.pausedUntilNanos() > time.nanoTime();
      time.schedule(
          unreachable ? CONNECT_TIMEOUT_NANOS : delayNanos(),
          () -> {
            if (unreachable || loses() || closed || !server.acceptsConnections()) {
              result.completeExceptionally(
                  new ConnectionLostException("cannot connect to " + id.getName()));
              return;
            }
            try {
              HelloReply greeting =
                  server.service().hello(Hello.newBuilder().setApplication(application).build());
              SimulatedConnection connection =
                  new SimulatedConnection(
                      SimulatedNetwork.this,
                      time,
                      allocator,
                      server,
                      greeting,
                      name,
                      application,
                      client);
              connections.add(connection);
              own.add(connection);
              result.complete(connection);
            } catch (SluiceException e) {
              result.completeExceptionally(e);
            }
          });
      return result;
    }

    @Override
    public void close() {
      closed = true;
      List.copyOf(own).forEach(SimulatedConnection::close);
    }
  }
}
