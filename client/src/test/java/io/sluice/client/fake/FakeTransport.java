package io.sluice.client.fake;

import io.netty.buffer.ByteBuf;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Fetch;
import io.sluice.proto.FetchReply;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.proto.ServerId;
import io.sluice.transport.client.ConnectionLostException;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.DataTransport;
import io.sluice.transport.client.FetchedBody;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;

/** Transport to fake servers, on an executor, with injected faults. */
public final class FakeTransport implements DataTransport {
  /** Outcome of a request. */
  public enum Fate {
    DONE,
    /** The connection is lost before the request reaches the server. */
    LOST_BEFORE,
    /** The server executes the request, and the connection is lost before the reply. */
    LOST_AFTER,
    /** The server closes the connection, because its token has expired. */
    TOKEN_EXPIRED,
    /** There is no reply until the connection is closed. */
    SILENT
  }

  /** Decides the outcome of each request; a refusal is an exception. */
  public interface Faults {
    default Fate connect(ServerId server) throws SluiceException {
      return Fate.DONE;
    }

    default Fate push(ServerId server, Push push, ByteBuf body) throws SluiceException {
      return Fate.DONE;
    }

    default Fate open(ServerId server, Open open) throws SluiceException {
      return Fate.DONE;
    }

    default Fate fetch(ServerId server, Fetch fetch) throws SluiceException {
      return Fate.DONE;
    }

    /** May change the bytes of a reply. */
    default void fetched(ServerId server, Fetch fetch, ByteBuf bytes) {}

    /**
     * Flips a bit of one reply.
     *
     * @param number number of the fetch, from 0
     * @param at index of the damaged byte
     */
    static Faults damagedFetch(int number, int at) {
      AtomicInteger fetches = new AtomicInteger();
      return new Faults() {
        @Override
        public void fetched(ServerId server, Fetch fetch, ByteBuf bytes) {
          if (fetches.getAndIncrement() == number) {
            bytes.setByte(at, bytes.getByte(at) ^ 4);
          }
        }
      };
    }
  }

  private final Map<String, FakeServer> servers = new ConcurrentHashMap<>();
  private final Function<String, Executor> executors;
  private final Faults faults;
  private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
  private final int maxBodyLength;
  private volatile int connects;

  /**
   * @param executors runs the requests to a server, by its name
   */
  public FakeTransport(
      Function<String, Executor> executors,
      Faults faults,
      List<FakeServer> servers,
      int maxBodyLength) {
    this.executors = executors;
    this.faults = faults;
    this.maxBodyLength = maxBodyLength;
    servers.forEach(server -> this.servers.put(server.id().getName(), server));
  }

  /** Number of requested connections. */
  public int connects() {
    return connects;
  }

  @Override
  public synchronized CompletableFuture<DataConnection> connect(
      ServerId server, String application, String client) {
    connects++;
    CompletableFuture<DataConnection> result = new CompletableFuture<>();
    Executor executor = executors.apply(server.getName());
    executor.execute(
        () -> {
          try {
            Fate fate = faults.connect(server);
            if (fate == Fate.SILENT) {
              return;
            }
            if (fate != Fate.DONE) {
              throw new ConnectionLostException("cannot connect to " + server.getName());
            }
            Connection connection = new Connection(server, servers.get(server.getName()));
            connections.add(connection);
            result.complete(connection);
          } catch (Exception e) {
            result.completeExceptionally(e);
          }
        });
    return result;
  }

  /** Closes every connection, like a restart of all servers. */
  public void dropConnections() {
    connections.forEach(Connection::close);
  }

  @Override
  public void close() {
    dropConnections();
  }

  private final class Connection implements DataConnection {
    private final ServerId id;
    private final FakeServer server;
    private final long epoch;
    private final long wholeSinceEpoch;
    private final List<CompletableFuture<?>> pending = new ArrayList<>();
    private boolean open = true;

    Connection(ServerId id, FakeServer server) {
      this.id = id;
      this.server = server;
      this.epoch = server.epoch();
      this.wholeSinceEpoch = server.wholeSinceEpoch();
    }

    @Override
    public long epoch() {
      return epoch;
    }

    @Override
    public long wholeSinceEpoch() {
      return wholeSinceEpoch;
    }

    @Override
    public int maxBodyLength() {
      return maxBodyLength;
    }

    @Override
    public CompletableFuture<PushAck> push(Push push, ByteBuf body) {
      return request(
          () -> faults.push(id, push, body), () -> server.push(push, body), body::release);
    }

    @Override
    public CompletableFuture<OpenReply> open(Open open) {
      return request(() -> faults.open(id, open), () -> server.open(open), () -> {});
    }

    @Override
    public CompletableFuture<FetchedBody> fetch(Fetch fetch) {
      return request(
          () -> faults.fetch(id, fetch),
          () -> {
            ByteBuf bytes = server.fetch(fetch);
            faults.fetched(id, fetch, bytes);
            return new FetchedBody(
                FetchReply.newBuilder().setEpoch(epoch).setFileMicros(server.fileMicros()).build(),
                bytes);
          },
          () -> {});
    }

    private <T> CompletableFuture<T> request(
        Callable<Fate> fate, Callable<T> work, Runnable release) {
      CompletableFuture<T> result = new CompletableFuture<>();
      synchronized (this) {
        pending.add(result);
      }
      boolean[] released = new boolean[1];
      Executor executor = executors.apply(id.getName());
      executor.execute(
          () -> {
            try {
              if (!isOpen()) {
                throw new ConnectionLostException("connection has ended");
              }
              switch (fate.call()) {
                case DONE -> {
                  T value = work.call();
                  // Like a real connection: the body is sent before its reply arrives.
                  release.run();
                  released[0] = true;
                  deliver(result, value);
                }
                case LOST_BEFORE -> close();
                case LOST_AFTER -> {
                  dispose(work.call());
                  close();
                }
                case TOKEN_EXPIRED ->
                    end(() -> new SluiceException(StatusCode.TOKEN_EXPIRED, "token has expired"));
                case SILENT -> {}
              }
            } catch (Exception e) {
              result.completeExceptionally(e);
            } finally {
              if (!released[0]) {
                release.run();
              }
            }
          });
      return result;
    }

    private <T> void deliver(CompletableFuture<T> result, T value) {
      if (!result.complete(value)) {
        dispose(value);
      }
    }

    private void dispose(Object value) {
      if (value instanceof FetchedBody body) {
        body.close();
      }
    }

    @Override
    public synchronized boolean isOpen() {
      return open && server.epoch() == epoch;
    }

    @Override
    public void close() {
      end(() -> new ConnectionLostException("connection lost"));
    }

    private void end(Supplier<Exception> cause) {
      List<CompletableFuture<?>> ended;
      synchronized (this) {
        open = false;
        ended = List.copyOf(pending);
        pending.clear();
      }
      ended.forEach(future -> future.completeExceptionally(cause.get()));
    }
  }
}
