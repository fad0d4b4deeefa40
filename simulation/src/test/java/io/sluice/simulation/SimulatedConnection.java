package io.sluice.simulation;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Fetch;
import io.sluice.proto.HelloReply;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.server.model.SimulatedServer;
import io.sluice.transport.client.ConnectionLostException;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.FetchedBody;
import io.sluice.transport.server.ClientConnection;
import io.sluice.transport.server.DataService;
import io.sluice.transport.server.FetchedBytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * A connection in virtual time, which keeps the order of its requests and of its replies. A request
 * that was sent before the client closed the connection still arrives, as with TCP: a repeated
 * request can arrive before the first one. Belongs to a simulation.
 */
final class SimulatedConnection implements DataConnection {
  private static final long REQUEST_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final SimulatedNetwork network;
  private final SimulatedThreads time;
  private final ByteBufAllocator allocator;
  private final SimulatedServer server;
  private final DataService service;
  private final HelloReply greeting;
  private final String clientProcess;
  private final ClientConnection peer;

  /** Requests without reply, with the time at which they were sent, in this order. */
  private final Map<CompletableFuture<?>, Long> pending = new LinkedHashMap<>();

  /** The push frame of which the server has the header; it reads nothing behind it. */
  private Reading reading;

  /** Requests behind it. */
  private final Deque<Arrived> unread = new ArrayDeque<>();

  /** Replies that the server sends part by part. */
  private final Set<FetchedBytes> sending = new LinkedHashSet<>();

  private boolean clientOpen = true;
  private boolean serverOpen = true;
  private boolean dropsRequests;
  private boolean dropsReplies;
  private boolean watched;
  private long requestsUntilNanos;
  private long repliesUntilNanos;

  SimulatedConnection(
      SimulatedNetwork network,
      SimulatedThreads time,
      ByteBufAllocator allocator,
      SimulatedServer server,
      HelloReply greeting,
      String clientProcess,
      String application,
      String client) {
    this.network = network;
    this.time = time;
    this.allocator = allocator;
    this.server = server;
    this.service = server.service();
    this.greeting = greeting;
    this.clientProcess = clientProcess;
    this.peer = new ClientConnection(application, client, "simulated");
  }

  SimulatedServer server() {
    return server;
  }

  @Override
  public long epoch() {
    return greeting.getEpoch();
  }

  @Override
  public long wholeSinceEpoch() {
    return greeting.getWholeSinceEpoch();
  }

  @Override
  public int maxBodyLength() {
    return greeting.getMaxBodyLength();
  }

  /**
   * A request that has arrived at the server.
   *
   * @param unsent frees what it owns if it is not served
   */
  private record Arrived(Runnable serve, Runnable unsent) {}

  /** A request at the server, which answers now or later. */
  private interface Request<T> {
    void serve(CompletableFuture<T> reply) throws SluiceException;
  }

  @Override
  public CompletableFuture<PushAck> push(Push push, ByteBuf body) {
    return request(reply -> receive(push, body, reply), body::release);
  }

  /** Reserves memory as a connection does: before the body is read, after its header was. */
  private void receive(Push push, ByteBuf body, CompletableFuture<PushAck> reply)
      throws SluiceException {
    int length = body.readableBytes();
    ByteBuf memory;
    try {
      service.checkPush(peer, push, length);
      memory = service.bodyMemory().tryAllocate(peer.application(), length);
    } catch (SluiceException | RuntimeException e) {
      body.release();
      throw e;
    }
    reading = new Reading(push, body, memory, reply);
    if (memory != null) {
      afterDelay(reading::arrive);
    } else {
      Reading waiting = reading;
      waiting.cancel =
          service
              .bodyMemory()
              .whenAvailable(
                  peer.application(),
                  length,
                  () ->
                      time.schedule(network.retryDelayNanos(), () -> unlessPaused(waiting::retry)));
    }
  }

  /** A frame whose body is on the way, or is not read for want of memory. */
  private final class Reading {
    private final Push push;
    private final ByteBuf body;
    private final ByteBuf memory;
    private final CompletableFuture<PushAck> reply;
    private Runnable cancel = () -> {};

    Reading(Push push, ByteBuf body, ByteBuf memory, CompletableFuture<PushAck> reply) {
      this.push = push;
      this.body = body;
      this.memory = memory;
      this.reply = reply;
    }

    void arrive() {
      if (reading != this) {
        return;
      }
      reading = null;
      memory.writeBytes(body);
      body.release();
      try {
        reply.complete(service.push(peer, push, memory));
      } catch (SluiceException e) {
        reply.completeExceptionally(e);
      }
      readNext();
    }

    void retry() {
      if (reading != this) {
        return;
      }
      reading = null;
      try {
        receive(push, body, reply);
      } catch (SluiceException e) {
        // A refused push gives its grant back.
        cancel.run();
        reply.completeExceptionally(e);
      }
      readNext();
    }

    void drop() {
      cancel.run();
      body.release();
      if (memory != null) {
        memory.release();
      }
    }
  }

  /** Runs a task of the server's event loop now or a little later, but not during a pause. */
  private void afterDelay(Runnable task) {
    long delayNanos = network.partDelayNanos();
    if (delayNanos == 0) {
      task.run();
    } else {
      time.schedule(delayNanos, () -> unlessPaused(task));
    }
  }

  private void unlessPaused(Runnable task) {
    long left = server.pausedUntilNanos() - time.nanoTime();
    if (serverOpen && left > 0) {
      time.schedule(left, () -> unlessPaused(task));
      return;
    }
    if (network.losesPart()) {
      cut();
    }
    task.run();
  }

  @Override
  public CompletableFuture<OpenReply> open(Open open) {
    return request(
        reply ->
            service
                .open(peer, open)
                .whenComplete((answer, failure) -> complete(reply, answer, failure)),
        () -> {});
  }

  @Override
  public CompletableFuture<FetchedBody> fetch(Fetch fetch) {
    return request(
        reply -> {
          CompletableFuture<FetchedBytes> unused =
              service
                  .fetch(peer, fetch)
                  .whenComplete((bytes, failure) -> answerFetch(reply, bytes, failure));
        },
        () -> {});
  }

  private void answerFetch(
      CompletableFuture<FetchedBody> reply, FetchedBytes bytes, Throwable failure) {
    if (bytes == null) {
      complete(reply, null, failure);
      if (reply.isCompletedExceptionally()) {
        Throwable cause =
            failure instanceof CompletionException wrapped ? wrapped.getCause() : failure;
        if (cause instanceof SluiceException refused
            && refused.code() == StatusCode.STORAGE_FAILED
            && serverOpen) {
          network.readFailed(server, refused);
        }
      }
      return;
    }
    if (!serverOpen) {
      bytes.close();
      return;
    }
    sending.add(bytes);
    afterDelay(() -> send(reply, bytes));
  }

  /** Sends a reply, whose bytes the server has kept until now. */
  private void send(CompletableFuture<FetchedBody> reply, FetchedBytes bytes) {
    if (!sending.remove(bytes)) {
      return;
    }
    FetchedBody body;
    try (bytes) {
      body = new FetchedBody(bytes.head(), copy(bytes));
    } catch (IOException e) {
      network.readFailed(server, e);
      // A part of the reply may have been sent: the client must see the end of the connection.
      cut();
      return;
    }
    if (!reply.complete(body)) {
      body.close();
    }
  }

  private static <T> void complete(CompletableFuture<T> reply, T answer, Throwable failure) {
    if (failure == null) {
      reply.complete(answer);
    } else {
      reply.completeExceptionally(
          failure instanceof CompletionException wrapped ? wrapped.getCause() : failure);
    }
  }

  /**
   * Sends a request after the ones before it.
   *
   * @param unsent frees what a request owns that never arrives
   */
  private <T> CompletableFuture<T> request(Request<T> request, Runnable unsent) {
    SimulatedNetwork.Reply<T> result = new SimulatedNetwork.Reply<>(time);
    if (!clientOpen) {
      unsent.run();
      result.completeExceptionally(new ConnectionLostException("the connection has ended"));
      return result;
    }
    pending.put(result, time.nanoTime());
    watch(REQUEST_TIMEOUT_NANOS);
    if (network.becomesHalfOpen()) {
      boolean requests = network.eitherWay();
      dropsRequests |= requests;
      dropsReplies |= !requests;
    }
    requestsUntilNanos = after(requestsUntilNanos);
    time.schedule(requestsUntilNanos - time.nanoTime(), () -> serve(request, unsent, result));
    return result;
  }

  private <T> void serve(Request<T> request, Runnable unsent, CompletableFuture<T> result) {
    long heldUntil = Math.max(server.pausedUntilNanos(), isolatedUntilNanos());
    if (serverOpen && heldUntil > time.nanoTime()) {
      time.schedule(heldUntil - time.nanoTime(), () -> serve(request, unsent, result));
      return;
    }
    if (network.loses()) {
      cut();
    }
    if (!serverOpen || dropsRequests) {
      unsent.run();
      return;
    }
    CompletableFuture<T> reply = new CompletableFuture<>();
    CompletableFuture<T> unused =
        reply.whenComplete((answer, failure) -> answer(result, answer, failure));
    unread.add(
        new Arrived(
            () -> {
              try {
                request.serve(reply);
              } catch (SluiceException e) {
                reply.completeExceptionally(e);
              }
            },
            unsent));
    readNext();
  }

  /** Serves the requests that have arrived, up to the next push frame that is incomplete. */
  private void readNext() {
    while (serverOpen && reading == null && !unread.isEmpty()) {
      unread.remove().serve().run();
    }
  }

  private <T> void answer(CompletableFuture<T> result, T answer, Throwable failure) {
    if (network.loses()) {
      cut();
    }
    repliesUntilNanos = after(repliesUntilNanos);
    time.schedule(repliesUntilNanos - time.nanoTime(), () -> arrive(result, answer, failure));
  }

  @SuppressWarnings("CollectionUndefinedEquality") // Futures are compared by identity.
  private <T> void arrive(CompletableFuture<T> result, T answer, Throwable failure) {
    if (clientOpen && isolatedUntilNanos() > time.nanoTime()) {
      time.schedule(isolatedUntilNanos() - time.nanoTime(), () -> arrive(result, answer, failure));
      return;
    }
    boolean taken =
        clientOpen
            && serverOpen
            && !dropsReplies
            && pending.remove(result) != null
            && (failure == null ? result.complete(answer) : result.completeExceptionally(failure));
    if (!taken && answer instanceof FetchedBody body) {
      body.close();
    }
  }

  private long isolatedUntilNanos() {
    return Math.max(network.isolatedUntil(server.name()), network.isolatedUntil(clientProcess));
  }

  private long after(long previousNanos) {
    return Math.max(previousNanos, time.nanoTime()) + network.delayOrStallNanos();
  }

  /** Ends the connection when a request has no reply for too long. */
  private void watch(long nanos) {
    if (watched) {
      return;
    }
    watched = true;
    time.schedule(
        nanos,
        () -> {
          watched = false;
          if (!clientOpen || pending.isEmpty()) {
            return;
          }
          long overdue =
              pending.values().iterator().next() + REQUEST_TIMEOUT_NANOS - time.nanoTime();
          if (overdue <= 0) {
            close();
          } else {
            watch(overdue);
          }
        });
  }

  @Override
  public boolean isOpen() {
    return clientOpen;
  }

  /** The server's end is gone; the client learns it a little later. */
  void cut() {
    if (serverOpen && clientOpen) {
      time.schedule(network.delayNanos(), this::close);
    }
    endAtServer();
  }

  /** The end that the client sent arrives after its requests. */
  private void arriveEnd() {
    long heldUntil = Math.max(server.pausedUntilNanos(), isolatedUntilNanos());
    if (serverOpen && heldUntil > time.nanoTime()) {
      time.schedule(heldUntil - time.nanoTime() + 1, this::arriveEnd);
    } else {
      endAtServer();
    }
  }

  private void endAtServer() {
    serverOpen = false;
    network.ended(this);
    if (reading != null) {
      reading.drop();
      reading = null;
    }
    unread.forEach(request -> request.unsent().run());
    unread.clear();
    List.copyOf(sending).forEach(FetchedBytes::close);
    sending.clear();
  }

  @Override
  public void close() {
    if (!clientOpen) {
      return;
    }
    clientOpen = false;
    requestsUntilNanos = Math.max(requestsUntilNanos, time.nanoTime());
    time.schedule(requestsUntilNanos - time.nanoTime() + 1, this::arriveEnd);
    List<CompletableFuture<?>> ended = new ArrayList<>(pending.keySet());
    pending.clear();
    ended.forEach(
        future -> future.completeExceptionally(new ConnectionLostException("connection lost")));
  }

  private ByteBuf copy(FetchedBytes fetched) throws IOException {
    ByteBuf all = allocator.directBuffer(fetched.length(), fetched.length());
    try {
      for (FetchedBytes.Piece piece : fetched.pieces()) {
        if (piece instanceof FetchedBytes.MemoryPiece memory) {
          all.writeBytes(memory.buffer().slice());
        } else {
          FetchedBytes.FilePiece file = (FetchedBytes.FilePiece) piece;
          ByteBuffer part = all.nioBuffer(all.writerIndex(), file.length());
          for (long position = file.position(); part.hasRemaining(); ) {
            int read = file.channel().read(part, position);
            if (read < 0) {
              throw new IOException("unexpected end of file");
            }
            position += read;
          }
          all.writerIndex(all.writerIndex() + file.length());
        }
      }
      return all;
    } catch (IOException e) {
      all.release();
      throw e;
    }
  }
}
