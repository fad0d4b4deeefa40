package io.sluice.simulation;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.client.fake.VirtualTime;
import io.sluice.common.error.SluiceException;
import io.sluice.proto.Fetch;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloReply;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.proto.ServerId;
import io.sluice.server.model.SimulatedServer;
import io.sluice.transport.client.ConnectionLostException;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.DataTransport;
import io.sluice.transport.client.FetchedBody;
import io.sluice.transport.server.ClientConnection;
import io.sluice.transport.server.DataService;
import io.sluice.transport.server.FetchedBytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * Carries requests of clients to servers in virtual time. A connection keeps the order of its
 * requests, and of its replies; connections overtake each other. With a probability, a connection
 * is cut before or after a request was served, or stands still for a while. Belongs to one thread.
 */
final class SimulatedNetwork implements DataTransport {
  private static final long MAX_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(4);
  private static final long MAX_STALL_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final VirtualTime time;
  private final Random random;
  private final ByteBufAllocator allocator;
  private final Map<String, SimulatedServer> servers = new LinkedHashMap<>();
  private final Set<Connection> connections = new LinkedHashSet<>();
  private int cutPermille;
  private int stallPermille;
  private long requests;

  SimulatedNetwork(VirtualTime time, Random random, ByteBufAllocator allocator) {
    this.time = time;
    this.random = random;
    this.allocator = allocator;
  }

  void add(SimulatedServer server) {
    servers.put(server.name(), server);
  }

  /** Sets how many of a thousand requests meet a fault. */
  void faults(int cut, int stall) {
    cutPermille = cut;
    stallPermille = stall;
  }

  /** Requests that were sent. */
  long requests() {
    return requests;
  }

  /** Cuts every connection to a server, as the end of its process does. */
  void cut(SimulatedServer server) {
    List.copyOf(connections).stream().filter(one -> one.server == server).forEach(Connection::cut);
  }

  /** A random time on the way, in nanoseconds. */
  long delayNanos() {
    return random.nextLong(MAX_DELAY_NANOS);
  }

  /** Whether a request or a reply is lost now. */
  boolean loses() {
    return random.nextInt(1000) < cutPermille;
  }

  @Override
  public CompletableFuture<DataConnection> connect(ServerId id, String application, String client) {
    CompletableFuture<DataConnection> result = new CompletableFuture<>();
    SimulatedServer server = servers.get(id.getName());
    time.schedule(
        delayNanos(),
        () -> {
          if (loses() || !server.isRunning()) {
            result.completeExceptionally(
                new ConnectionLostException("cannot connect to " + id.getName()));
            return;
          }
          try {
            HelloReply greeting =
                server.service().hello(Hello.newBuilder().setApplication(application).build());
            Connection connection = new Connection(server, greeting, application, client);
            connections.add(connection);
            result.complete(connection);
          } catch (SluiceException e) {
            result.completeExceptionally(e);
          }
        });
    return result;
  }

  @Override
  public void close() {
    List.copyOf(connections).forEach(Connection::close);
  }

  /** A request at the server, which answers now or later. */
  private interface Request<T> {
    void serve(CompletableFuture<T> reply) throws SluiceException;
  }

  private final class Connection implements DataConnection {
    private final SimulatedServer server;
    private final DataService service;
    private final HelloReply greeting;
    private final ClientConnection peer;
    private final Set<CompletableFuture<?>> pending = new LinkedHashSet<>();
    private final Set<Waiting> unread = new LinkedHashSet<>();
    private boolean open = true;
    private long requestsUntilNanos;
    private long repliesUntilNanos;

    Connection(SimulatedServer server, HelloReply greeting, String application, String client) {
      this.server = server;
      this.service = server.service();
      this.greeting = greeting;
      this.peer = new ClientConnection(application, client, "simulated");
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

    @Override
    public CompletableFuture<PushAck> push(Push push, ByteBuf body) {
      return request(reply -> receive(push, body, reply), body::release);
    }

    /** Reserves memory as a connection does: before the body is read, after its header was. */
    private void receive(Push push, ByteBuf body, CompletableFuture<PushAck> reply)
        throws SluiceException {
      if (!open) {
        body.release();
        return;
      }
      int length = body.readableBytes();
      ByteBuf memory;
      try {
        service.checkPush(peer, push, length);
        memory = service.bodyMemory().tryAllocate(peer.application(), length);
      } catch (SluiceException | RuntimeException e) {
        body.release();
        throw e;
      }
      if (memory == null) {
        Waiting waiting = new Waiting(push, body, reply);
        unread.add(waiting);
        waiting.cancel =
            service
                .bodyMemory()
                .whenAvailable(peer.application(), length, () -> time.schedule(0, waiting::retry));
        return;
      }
      memory.writeBytes(body);
      body.release();
      reply.complete(service.push(peer, push, memory));
    }

    /** A frame whose body is not read for want of memory. */
    private final class Waiting {
      private final Push push;
      private final ByteBuf body;
      private final CompletableFuture<PushAck> reply;
      private Runnable cancel;

      Waiting(Push push, ByteBuf body, CompletableFuture<PushAck> reply) {
        this.push = push;
        this.body = body;
        this.reply = reply;
      }

      void retry() {
        if (unread.remove(this)) {
          try {
            receive(push, body, reply);
          } catch (SluiceException e) {
            reply.completeExceptionally(e);
          }
        }
      }

      void drop() {
        cancel.run();
        body.release();
      }
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
        return;
      }
      FetchedBody body;
      try (bytes) {
        body = new FetchedBody(bytes.head(), copy(bytes));
      } catch (IOException e) {
        // A part of the reply may have been sent: the client must see the end of the connection.
        cut();
        return;
      }
      reply.complete(body);
    }

    private <T> void complete(CompletableFuture<T> reply, T answer, Throwable failure) {
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
      requests++;
      CompletableFuture<T> result = new CompletableFuture<>();
      if (!open) {
        unsent.run();
        result.completeExceptionally(new ConnectionLostException("the connection has ended"));
        return result;
      }
      pending.add(result);
      requestsUntilNanos = after(requestsUntilNanos);
      time.schedule(
          requestsUntilNanos - time.nanoTime(),
          () -> {
            if (loses()) {
              cut();
            }
            if (!open) {
              unsent.run();
              return;
            }
            CompletableFuture<T> reply = new CompletableFuture<>();
            CompletableFuture<T> unused =
                reply.whenComplete((answer, failure) -> answer(result, answer, failure));
            try {
              request.serve(reply);
            } catch (SluiceException e) {
              reply.completeExceptionally(e);
            }
          });
      return result;
    }

    @SuppressWarnings("CollectionUndefinedEquality") // Futures are compared by identity.
    private <T> void answer(CompletableFuture<T> result, T answer, Throwable failure) {
      if (loses()) {
        cut();
      }
      repliesUntilNanos = after(repliesUntilNanos);
      time.schedule(
          repliesUntilNanos - time.nanoTime(),
          () -> {
            boolean taken =
                open
                    && pending.remove(result)
                    && (failure == null
                        ? result.complete(answer)
                        : result.completeExceptionally(failure));
            if (!taken && answer instanceof FetchedBody body) {
              body.close();
            }
          });
    }

    private long after(long previousNanos) {
      long stall = random.nextInt(1000) < stallPermille ? random.nextLong(MAX_STALL_NANOS) : 0;
      return Math.max(previousNanos, time.nanoTime()) + delayNanos() + stall;
    }

    @Override
    public boolean isOpen() {
      return open;
    }

    /** The server's end is gone; the client learns it a little later. */
    private void cut() {
      if (open) {
        time.schedule(delayNanos(), this::close);
      }
      end();
    }

    private void end() {
      open = false;
      unread.forEach(Waiting::drop);
      unread.clear();
    }

    @Override
    public void close() {
      end();
      connections.remove(this);
      List<CompletableFuture<?>> ended = new ArrayList<>(pending);
      pending.clear();
      ended.forEach(
          future -> future.completeExceptionally(new ConnectionLostException("connection lost")));
    }
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
