package io.sluice.server.cluster;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Push;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import io.sluice.server.log.LogConfig;
import io.sluice.server.log.LogRange;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.StoreConfig;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.memory.MemoryConfig;
import io.sluice.server.observe.ServerCounters;
import io.sluice.server.read.InlineReads;
import io.sluice.server.service.OverQuota;
import io.sluice.server.service.PushAdmission;
import io.sluice.server.service.ServerEpochs;
import io.sluice.server.service.ServiceConfig;
import io.sluice.server.service.StoreDataService;
import io.sluice.transport.protocol.ConnectionGuard;
import io.sluice.transport.server.ClientConnection;
import io.sluice.transport.server.RequestMemory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import javax.net.ssl.SSLException;

/** Move targets in memory, with injected failures. For one thread. */
final class FakeServers implements MoveTargets, AutoCloseable {
  static final long EPOCH = 1_000;

  private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
  private final Map<String, Node> nodes = new HashMap<>();
  private final List<String> order = new ArrayList<>();
  private final int maxBodyBytes;

  /** Outcome of the next calls. */
  final Map<String, StatusCode> refusals = new HashMap<>();

  final Set<String> unreachable = new HashSet<>();
  final Set<String> untrusted = new HashSet<>();

  /** Damaged blocks that the readers reported. */
  final List<String> reported = new ArrayList<>();

  int connections;

  /** Runs once, when the next blocks have been accepted. */
  Step afterPush = () -> {};

  /** A step of a test. */
  interface Step {
    void run() throws IOException, InterruptedException;
  }

  /** One server in one epoch. */
  static final class Node {
    final long epoch;
    final ShuffleStore store =
        new ShuffleStore(
            new StoreConfig(
                100, 100, 1_000_000, 60, 1 << 30, new LogConfig(1 << 12, 1 << 30, 1000, 50)));
    final StoreDataService service;
    private final MemoryBudget memory =
        new MemoryBudget(new MemoryConfig(1 << 20, 4096, 75, 25), System::nanoTime);

    private Node(long epoch, ScheduledThreadPoolExecutor timer) {
      this.epoch = epoch;
      ServerCounters counters = new ServerCounters();
      PushAdmission admission =
          new PushAdmission(
              ServerEpochs.first(epoch),
              ServiceConfig.DEFAULT.limits(),
              memory,
              store,
              () -> true,
              new OverQuota(),
              counters);
      this.service =
          new StoreDataService(
              ServerEpochs.first(epoch),
              ServiceConfig.DEFAULT,
              ConnectionGuard.OPEN,
              admission,
              memory,
              new RequestMemory(1 << 20),
              store,
              InlineReads.create(timer),
              timer,
              counters);
    }

    private void close() {
      store.close();
      memory.close();
    }
  }

  FakeServers(int maxBodyBytes, String... names) {
    this.maxBodyBytes = maxBodyBytes;
    for (String name : names) {
      nodes.put(name, new Node(EPOCH, timer));
      order.add(name);
    }
  }

  Node node(String name) {
    return nodes.get(name);
  }

  /** A crash that loses all data. */
  void restart(String name) {
    Node before = nodes.get(name);
    before.close();
    nodes.put(name, new Node(before.epoch + 1, timer));
  }

  static ServerId id(String name, long epoch) {
    return ServerId.newBuilder().setName(name).setHost(name).setRpcPort(1).setEpoch(epoch).build();
  }

  LogReader reader() {
    return new LogReader(
        InlineReads.create(timer),
        EPOCH,
        UnpooledByteBufAllocator.DEFAULT,
        (log, partition, offset) -> reported.add(log.key() + " " + partition + "@" + offset));
  }

  /** Pushes blocks to a server as a client does. */
  static void push(Node to, ShuffleKey shuffle, ByteBuf body) throws SluiceException {
    to.service.push(connection(shuffle), push(shuffle, to.epoch), body);
  }

  static ClientConnection connection(ShuffleKey shuffle) {
    return new ClientConnection(shuffle.application(), "test", "loopback");
  }

  static Push push(ShuffleKey shuffle, long epoch) {
    return Push.newBuilder()
        .setShuffle(
            ShuffleId.newBuilder()
                .setApplication(shuffle.application())
                .setShuffle(shuffle.shuffle()))
        .setEpoch(epoch)
        .build();
  }

  /** Every block of a shuffle on a server, without duplicates. */
  Set<String> blocks(Node at, ShuffleKey shuffle) throws IOException, InterruptedException {
    Set<String> found = new HashSet<>();
    ShuffleLog log = at.store.find(shuffle);
    if (log == null) {
      return found;
    }
    for (int partition : log.partitions()) {
      long length = log.partitionLength(partition);
      ByteBuf bytes = reader().read(log, List.of(new LogRange(partition, 0, length)));
      for (int index = 0; index < length; ) {
        BlockHeader header = BlockFormat.readVerified(bytes, index, (int) length);
        String block = header.partition() + "/" + header.mapAttempt() + "/" + header.sequence();
        if (!found.add(block)) {
          throw new AssertionError("block twice: " + block);
        }
        index += header.blockLength();
      }
      bytes.release();
    }
    return found;
  }

  @Override
  public ServerId find(ShuffleKey shuffle, int partitions, Collection<String> excluded)
      throws IOException {
    for (String name : order) {
      if (!excluded.contains(name)) {
        return id(name, nodes.get(name).epoch);
      }
    }
    throw new IOException("no other server is available");
  }

  @Override
  public MoveTarget connect(ServerId server, String application) throws IOException {
    connections++;
    String name = server.getName();
    if (unreachable.contains(name)) {
      throw new IOException(name + " does not answer");
    }
    if (untrusted.contains(name)) {
      throw new SSLException(name + " cannot be trusted");
    }
    Node node = nodes.get(name);
    return new MoveTarget() {
      @Override
      public long epoch() {
        return node.epoch;
      }

      @Override
      public long wholeSinceEpoch() {
        return node.epoch;
      }

      @Override
      public int maxBodyBytes() {
        return maxBodyBytes;
      }

      @Override
      public void push(ShuffleKey shuffle, ByteBuf body) throws IOException, InterruptedException {
        StatusCode refusal = refusals.get(name);
        if (refusal != null) {
          throw new SluiceException(refusal, name + " refused with " + refusal);
        }
        if (nodes.get(name) != node || unreachable.contains(name)) {
          throw new IOException(name + " has gone");
        }
        if (body.readableBytes() > maxBodyBytes) {
          throw new AssertionError("body of " + body.readableBytes());
        }
        FakeServers.push(node, shuffle, Unpooled.copiedBuffer(body));
        Step next = afterPush;
        afterPush = () -> {};
        next.run();
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public void close() {
    nodes.values().forEach(Node::close);
    timer.shutdownNow();
  }
}
