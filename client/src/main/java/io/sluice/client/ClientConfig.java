package io.sluice.client;

import io.sluice.client.background.BackgroundConfig;
import io.sluice.client.compress.CodecChoice;
import io.sluice.client.coordinator.CoordinatorClientConfig;
import io.sluice.client.file.RemoteDirectory;
import io.sluice.client.file.RunFilesConfig;
import io.sluice.client.push.PushConfig;
import io.sluice.client.read.ReadConfig;
import io.sluice.client.security.ClientSecurityConfig;
import io.sluice.client.server.RetryPolicy;
import io.sluice.common.auth.SecurityConfig;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSchema;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.config.HostPort;
import io.sluice.common.net.IoMode;
import io.sluice.transport.client.TransportConfig;
import io.sluice.transport.frame.FrameLimits;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The configuration of a client, read once at start. An engine reads it with its own prefix, see
 * {@link io.sluice.common.config.ConfigReader#enginePrefix}.
 *
 * @param connectionsPerServer connections to one server, for all tasks of the process together
 * @param directMemoryBytes limit of frames and slices of the process
 * @param runFiles which run files are read without their servers, where that is possible
 * @param localOutput when map tasks leave blocks on local disks
 * @param merge how long readers wait for what is pushed behind its task
 * @param reassign how a shuffle comes to further servers
 * @param security who a driver is
 */
public record ClientConfig(
    CoordinatorClientConfig coordinator,
    TransportKind transportKind,
    TransportConfig transport,
    int connectionsPerServer,
    WriterConfig writer,
    PushConfig push,
    ReadConfig read,
    long directMemoryBytes,
    RunFilesConfig runFiles,
    LocalOutputMode localOutput,
    BackgroundConfig background,
    MergeConfig merge,
    ReassignConfig reassign,
    ClientSecurityConfig security) {

  private static final String FIRST = "0.1.0";
  private static final long MIB = 1L << 20;

  /**
   * Larger frames gain nothing: at 1 MiB the cost of a frame is already lost in its bytes. Every
   * server takes frames of this size.
   */
  private static final long USEFUL_FRAME_BYTES = 4 * MIB;

  /** Larger contents compress no better and leave the processor's cache. */
  private static final long USEFUL_CONTENT_BYTES = MIB;

  /** Slices beyond this only hold memory. */
  private static final long USEFUL_SLICE_BYTES = 16 * MIB;

  /** One reads its file while the other waits for a server; sending is the event loops' work. */
  private static final int PUSH_THREADS = 2;

  /** Each takes a few hundred bytes; more than an executor makes while two threads lag behind. */
  private static final int MAX_WAITING_OUTPUTS = 10_000;

  /** A connection that was lost is made again; a server that is started again is not waited for. */
  private static final long BACKGROUND_UNREACHABLE_MS = 2_000;

  /** A server that spills takes pushes again within seconds. */
  private static final long BACKGROUND_BUSY_MS = 30_000;

  static final ConfigKey<List<HostPort>> COORDINATORS =
      ConfigKey.hostPorts("rss.coordinator.quorum")
          .since(FIRST)
          .doc(
              "The coordinators, any of which will do. Without it jobs use their engine's own"
                  + " shuffle.")
          .build();
  static final ConfigKey<Boolean> SERVED_SETTINGS =
      ConfigKey.bool("rss.dynamicClientConf.enabled")
          .defaultValue(true)
          .since(FIRST)
          .doc(
              "Whether the driver asks a coordinator for settings of the operator. What the job says itself holds, unless the operator has forced a setting.")
          .build();
  static final ConfigKey<TransportKind> TYPE =
      ConfigKey.enumeration("rss.client.type", TransportKind.class)
          .defaultValue(TransportKind.GRPC_NETTY)
          .since(FIRST)
          .doc(
              "How data travels: `GRPC_NETTY` framed TCP on the servers' netty port, `GRPC` inside a"
                  + " gRPC stream on their rpc port. The servers must offer it.")
          .build();
  static final ConfigKey<IoMode> IO_MODE =
      ConfigKey.enumeration("rss.client.netty.io.mode", IoMode.class)
          .defaultValue(IoMode.EPOLL)
          .since(FIRST)
          .doc(
              "How sockets are waited for: `NIO`, `EPOLL` or `IO_URING`. What the machine lacks is"
                  + " replaced, with one line in the log.")
          .build();
  static final ConfigKey<Integer> CONNECTIONS =
      ConfigKey.integer("rss.client.netty.client.connections.per.peer")
          .defaultValue(2)
          .atLeast(1)
          .atMost(64)
          .since(FIRST)
          .doc("Connections of one process to one server, shared by its tasks.")
          .build();
  static final ConfigKey<Integer> THREADS =
      ConfigKey.integer("rss.client.netty.client.threads")
          .defaultValue(2)
          .atLeast(1)
          .atMost(128)
          .alsoAllow(0, "the default")
          .since(FIRST)
          .doc("Event loops of one process, for all its connections.")
          .build();
  static final ConfigKey<Long> CONNECT_TIMEOUT =
      ConfigKey.durationMs("rss.client.connect.timeout")
          .defaultValue(seconds(10))
          .atLeast(10L)
          .atMost(seconds(600))
          .since(FIRST)
          .doc("How long connecting to a server may take, the greeting included.")
          .build();
  static final ConfigKey<Long> RPC_TIMEOUT =
      ConfigKey.durationMs("rss.client.rpc.timeout.ms")
          .defaultValue(seconds(60))
          .atLeast(10L)
          .atMost(seconds(3600))
          .since(FIRST)
          .doc(
              "How long a server may take to answer one request before the connection is given up."
                  + " A server that is short of memory lets pushes wait.")
          .build();
  static final ConfigKey<Integer> RPC_ATTEMPTS =
      ConfigKey.integer("rss.client.rpc.maxAttempts")
          .defaultValue(20)
          .atLeast(1)
          .atMost(10_000)
          .since(FIRST)
          .doc(
              "How often a read is asked of a server that cannot be reached or answers badly. With"
                  + " few tries it does not wait for rss.client.server.unreachable.timeout.")
          .build();
  static final ConfigKey<Integer> PUSH_ATTEMPTS =
      ConfigKey.integer("rss.client.retry.max")
          .defaultValue(50)
          .atLeast(1)
          .atMost(10_000)
          .since(FIRST)
          .doc(
              "How often one push is sent before its server is passed by: for a further server, for"
                  + " local output, or else by the failure of the map attempt.")
          .build();
  static final ConfigKey<Long> RETRY_INTERVAL_MAX =
      ConfigKey.durationMs("rss.client.retry.interval.max")
          .deprecatedName("rss.client.retry.interval.max.ms")
          .defaultValue(seconds(10))
          .atLeast(1L)
          .atMost(seconds(600))
          .since(FIRST)
          .doc(
              "Longest wait between two tries. The first is 50 ms or this, and each next one twice"
                  + " as long.")
          .build();
  static final ConfigKey<Long> UNREACHABLE_PATIENCE =
      ConfigKey.durationMs("rss.client.server.unreachable.timeout")
          .defaultValue(seconds(60))
          .atLeast(1L)
          .since(FIRST)
          .doc(
              "How long a task tries to reach a server again, or one that is stopping. The time in"
                  + " which a server is stopped and started is sensible: a clean restart then costs"
                  + " no attempt.")
          .build();
  static final ConfigKey<Long> PUSH_PATIENCE =
      ConfigKey.durationMs("rss.client.send.check.timeout.ms")
          .defaultValue(seconds(600))
          .atLeast(1L)
          .since(FIRST)
          .doc(
              "How long a push may be put off by a server that is alive but busy, before that server is"
                  + " passed by.")
          .build();
  static final ConfigKey<Long> FRAME =
      ConfigKey.dataSize("rss.client.send.size.limit")
          .defaultValue(2 * MIB)
          .atLeast((long) PushConfig.MIN_FRAME_BYTES)
          .atMost(1L << 30)
          .since(FIRST)
          .doc(
              "Most bytes of one push. More than 4 MiB gains nothing and counts as 4 MiB, so that"
                  + " memory stays small.")
          .build();
  static final ConfigKey<Long> IN_FLIGHT =
      ConfigKey.dataSize("rss.client.send.in.flight.size")
          .defaultValue(16 * MIB)
          .atLeast(64L << 10)
          .atMost(1L << 30)
          .since(FIRST)
          .doc(
              "Most bytes that one task has sent and no server has acknowledged. Servers under"
                  + " pressure get less at a time.")
          .build();
  static final ConfigKey<Long> CONTENT =
      ConfigKey.dataSize("rss.writer.buffer.size")
          .defaultValue(MIB / 2)
          .atLeast(64L)
          .atMost(1L << 30)
          .since(FIRST)
          .doc(
              "Uncompressed bytes that make a block, unless a record is larger. More than 1 MiB gains"
                  + " nothing and counts as 1 MiB.")
          .build();
  static final ConfigKey<Long> SPILL =
      ConfigKey.dataSize("rss.writer.buffer.spill.size")
          .defaultValue(128 * MIB)
          .atLeast(64L << 10)
          .since(FIRST)
          .doc(
              "Records that one task holds before it hands them on: less where partitions get 128 KiB"
                  + " each with less, up to four times as much where they would get less than 16 KiB.")
          .build();
  static final ConfigKey<Long> SLICE =
      ConfigKey.dataSize("rss.client.read.buffer.size")
          .defaultValue(4 * MIB)
          .atLeast(4L << 10)
          .atMost(1L << 30)
          .since(FIRST)
          .doc(
              "Most bytes asked for in one read. More than 16 MiB gains nothing and counts as 16 MiB.")
          .build();
  static final ConfigKey<Integer> PREFETCH =
      ConfigKey.integer("rss.client.read.prefetch.capacity")
          .defaultValue(4)
          .atLeast(1)
          .atMost(64)
          .since(FIRST)
          .doc(
              "Maximum number of slices that one read of a shuffle has requested or holds. A task that"
                  + " joins has two or more reads.")
          .build();
  static final ConfigKey<Long> DIRECT_MEMORY =
      ConfigKey.dataSize("rss.client.direct.memory.max")
          .defaultValue(512 * MIB)
          .atLeast(MIB)
          .since(FIRST)
          .doc(
              "Maximum direct memory of one process for frames that servers have not acknowledged and"
                  + " for slices that its tasks read, and never more than half of the JVM's limit of"
                  + " direct memory. Above it, each task continues with one slice per read, or with"
                  + " its open frames and one that it sends.")
          .build();
  static final ConfigKey<Boolean> SHORT_CIRCUIT =
      ConfigKey.bool("rss.client.read.shortcircuit.enabled")
          .defaultValue(true)
          .since(FIRST)
          .doc(
              "Whether run files that this process can reach itself, on the same host or on the shared"
                  + " file system of rss.client.read.remote.path, are read without their server. What"
                  + " cannot be read so is fetched.")
          .build();
  static final ConfigKey<String> REMOTE_FILES =
      ConfigKey.string("rss.client.read.remote.path")
          .check(
              RemoteDirectory::isOne, "a directory with its scheme, such as hdfs://cluster/sluice")
          .since(FIRST)
          .doc(
              "Directory on a shared file system below which this process opens run files that"
                  + " servers name: the rss.server.remote.storage.path of the servers, written as"
                  + " there. When not set, servers read such files and send their bytes. The job's"
                  + " user needs to be in the servers' rss.storage.file.group.")
          .build();
  static final ConfigKey<LocalOutputMode> LOCAL_OUTPUT =
      ConfigKey.enumeration("rss.local.output", LocalOutputMode.class)
          .defaultValue(LocalOutputMode.FALLBACK)
          .since(FIRST)
          .doc(
              "When map tasks leave blocks in the engine's own map output files on local disks."
                  + " `FALLBACK`: blocks that no server takes within the configured patience."
                  + " `ALWAYS`: all blocks, first; servers get them behind the task, as far as that"
                  + " works, and the loss of any server costs no task. `NEVER`: none; replicas make"
                  + " a shuffle survive the loss of a server.")
          .build();

  /** Read by the engine's plugin, which alone knows what a shuffle is computed from. */
  public static final ConfigKey<Long> AUTO_LOCAL =
      ConfigKey.dataSize("rss.auto.local.threshold")
          .defaultValue(0L)
          .atLeast(0L)
          .since(FIRST)
          .doc(
              "A Spark shuffle whose map tasks read nothing but shuffles that are complete, and no"
                  + " more than this, stays on Spark's own shuffle. 0: none does.")
          .build();

  static final ConfigKey<Boolean> REASSIGN =
      ConfigKey.bool("rss.client.reassign.enabled")
          .defaultValue(true)
          .since(FIRST)
          .doc(
              "Whether a shuffle gets a further server when one fails, or calls a partition too"
                  + " large. Without it blocks that a server does not take go to local output.")
          .build();
  static final ConfigKey<Integer> REASSIGN_MAX =
      ConfigKey.integer("rss.client.reassign.maxReassignServerNum")
          .defaultValue(10)
          .atLeast(1)
          .atMost(1000)
          .since(FIRST)
          .doc("Most servers that a shuffle gets in addition to those that it began with.")
          .build();
  static final ConfigKey<CodecChoice> CODEC =
      ConfigKey.enumeration("rss.client.io.compression.codec", CodecChoice.class)
          .defaultText("the engine's own")
          .since(FIRST)
          .doc("`LZ4`, `ZSTD`, `SNAPPY`, or `NONE` (also `NOOP`).")
          .build();
  static final ConfigKey<Integer> ZSTD_LEVEL =
      ConfigKey.integer("rss.client.io.compression.zstd.level")
          .deprecatedName("rss.client.io.compression.zstd.compression.level")
          .defaultValue(3)
          .atLeast(-7)
          .atMost(22)
          .since(FIRST)
          .doc("Level of `ZSTD`.")
          .build();
  static final ConfigKey<Integer> REPLICAS =
      ConfigKey.integer("rss.data.replica")
          .defaultValue(1)
          .atLeast(1)
          .atMost(16)
          .since(FIRST)
          .doc("Copies of every partition, on distinct hosts where possible.")
          .build();
  static final ConfigKey<Integer> WRITE_QUORUM =
      ConfigKey.integer("rss.data.replica.write")
          .defaultValue(1)
          .atLeast(1)
          .atMost(16)
          .since(FIRST)
          .doc("Copies that must be safe for a map attempt to succeed.")
          .build();
  static final ConfigKey<List<String>> TAGS =
      ConfigKey.strings("rss.client.assignment.tags")
          .since(FIRST)
          .doc("Use only servers that carry all these tags.")
          .build();
  static final ConfigKey<Integer> NODES_MAX =
      ConfigKey.integer("rss.client.assignment.shuffle.nodes.max")
          .defaultValue(-1)
          .atLeast(1)
          .alsoAllow(-1, "as many as the coordinator gives")
          .alsoAllow(0, "as many as the coordinator gives")
          .since(FIRST)
          .doc("Most servers that one shuffle is spread over.")
          .build();
  static final ConfigKey<Long> COORDINATOR_PATIENCE =
      ConfigKey.durationMs("rss.access.timeout.ms")
          .defaultValue(seconds(10))
          .atLeast(1L)
          .atMost(seconds(3600))
          .since(FIRST)
          .doc(
              "How long a driver looks for a coordinator that answers before a shuffle goes to the"
                  + " engine's own.")
          .build();
  static final ConfigKey<Long> UNREGISTER_TIMEOUT =
      ConfigKey.durationMs("rss.client.unregister.request.timeout.sec", TimeUnit.SECONDS)
          .defaultValue(seconds(10))
          .atLeast(1L)
          .atMost(seconds(600))
          .since(FIRST)
          .doc("How long telling servers and coordinators to forget something may take.")
          .build();

  static final ConfigKey<Long> MERGE_WAIT =
      ConfigKey.durationMs("rss.merge.wait")
          .defaultValue(seconds(10))
          .atLeast(0L)
          .atMost(seconds(3600))
          .since(FIRST)
          .doc(
              "How long one task waits for map output that is still being pushed, before it reads the"
                  + " rest from local output. Only with rss.local.output=always.")
          .build();
  static final ConfigKey<Double> MERGE_THRESHOLD =
      ConfigKey.percent("rss.merge.threshold")
          .defaultValue(95.0)
          .since(FIRST)
          .doc(
              "Percentage of map attempts whose output at a server is enough to begin reading without"
                  + " a wait. Only with rss.local.output=always.")
          .build();
  static final ConfigKey<Long> PUSH_PARTITION_MAX =
      ConfigKey.dataSize("rss.merge.push.partition.max")
          .defaultValue(64 * MIB)
          .atLeast(1L)
          .since(FIRST)
          .doc(
              "What one map task holds of a partition is left to local output when it is larger: it is"
                  + " read in large stretches there as well. Only with rss.local.output=always.")
          .build();

  /** Every key of a client. */
  public static final ConfigSchema SCHEMA =
      SecurityConfig.withoutSecrets(ConfigSchema.builder("client"))
          .title("Spark jobs")
          .intro(
              "Set in the job's own configuration. MapReduce jobs write `mapreduce.` in place"
                  + " of `spark.`.")
          .shownPrefix("spark.")
          .keys(COORDINATORS, COORDINATOR_PATIENCE, SERVED_SETTINGS, TAGS, NODES_MAX)
          .keys(TYPE, IO_MODE, CONNECTIONS, THREADS, CONNECT_TIMEOUT, RPC_TIMEOUT)
          .keys(RPC_ATTEMPTS, PUSH_ATTEMPTS, RETRY_INTERVAL_MAX)
          .keys(UNREACHABLE_PATIENCE, PUSH_PATIENCE, UNREGISTER_TIMEOUT)
          .keys(SPILL, CONTENT, FRAME, IN_FLIGHT, CODEC, ZSTD_LEVEL)
          .keys(LOCAL_OUTPUT, AUTO_LOCAL, REASSIGN, REASSIGN_MAX, REPLICAS, WRITE_QUORUM)
          .keys(SLICE, PREFETCH, DIRECT_MEMORY, SHORT_CIRCUIT, REMOTE_FILES)
          .keys(MERGE_WAIT, MERGE_THRESHOLD, PUSH_PARTITION_MAX)
          .keys(ClientSecurityConfig.KEYS)
          .ignoredIn(ClientConfig.class, "uniffle-keys.txt")
          .rule(
              set ->
                  set.get(WRITE_QUORUM) <= set.get(REPLICAS)
                      ? Optional.empty()
                      : Optional.of(
                          WRITE_QUORUM.name()
                              + " is "
                              + set.get(WRITE_QUORUM)
                              + " of "
                              + set.get(REPLICAS)
                              + " copies; give at most "
                              + REPLICAS.name()))
          .build();

  /** The configuration with LZ4 where no codec is set. */
  public static ClientConfig from(ConfigSet set) {
    return from(set, BlockCodec.LZ4);
  }

  /**
   * @param engineCodec what the engine's own configuration asks for
   */
  public static ClientConfig from(ConfigSet set, BlockCodec engineCodec) {
    long backOffMaxMs = set.get(RETRY_INTERVAL_MAX);
    long backOffMs = Math.min(50, backOffMaxMs);
    long unreachableMs = set.get(UNREACHABLE_PATIENCE);
    int frameBytes = (int) Math.min(set.get(FRAME), USEFUL_FRAME_BYTES);
    int pushAttempts = set.get(PUSH_ATTEMPTS);
    PushConfig push =
        new PushConfig(
            frameBytes,
            Math.max(frameBytes, set.get(IN_FLIGHT)),
            set.get(WRITE_QUORUM),
            set.find(CODEC).map(CodecChoice::codec).orElse(engineCodec),
            set.get(ZSTD_LEVEL),
            new RetryPolicy(pushAttempts, backOffMs, backOffMaxMs, unreachableMs),
            new RetryPolicy(Integer.MAX_VALUE, backOffMs, backOffMaxMs, set.get(PUSH_PATIENCE)));
    return new ClientConfig(
        new CoordinatorClientConfig(
            set.find(COORDINATORS).orElse(List.of()),
            Math.min(set.get(RPC_TIMEOUT), Math.max(1, set.get(COORDINATOR_PATIENCE) / 2)),
            set.get(COORDINATOR_PATIENCE),
            set.get(REPLICAS),
            Math.max(0, set.get(NODES_MAX)),
            set.find(TAGS).orElse(List.of()),
            set.get(UNREGISTER_TIMEOUT),
            set.get(SERVED_SETTINGS)),
        set.get(TYPE),
        new TransportConfig(
            Math.toIntExact(set.get(CONNECT_TIMEOUT)),
            Math.toIntExact(set.get(RPC_TIMEOUT)),
            set.get(IO_MODE),
            set.get(THREADS) == 0 ? THREADS.defaultValue().orElseThrow() : set.get(THREADS),
            FrameLimits.DEFAULT),
        set.get(CONNECTIONS),
        new WriterConfig((int) Math.min(set.get(CONTENT), USEFUL_CONTENT_BYTES), set.get(SPILL)),
        push,
        new ReadConfig(
            (int) Math.min(set.get(SLICE), USEFUL_SLICE_BYTES),
            set.get(PREFETCH),
            Integer.MAX_VALUE - 16,
            2 * (set.get(CONNECT_TIMEOUT) + set.get(RPC_TIMEOUT)),
            new RetryPolicy(
                set.get(RPC_ATTEMPTS), Math.min(250, backOffMaxMs), backOffMaxMs, unreachableMs)),
        set.get(DIRECT_MEMORY),
        set.get(SHORT_CIRCUIT)
            ? new RunFilesConfig(true, set.find(REMOTE_FILES).map(RemoteDirectory::parse))
            : RunFilesConfig.NONE,
        set.get(LOCAL_OUTPUT),
        new BackgroundConfig(
            inBackground(push), PUSH_THREADS, MAX_WAITING_OUTPUTS, set.get(PUSH_PARTITION_MAX)),
        new MergeConfig(set.get(MERGE_WAIT), (int) Math.round(set.get(MERGE_THRESHOLD) * 10)),
        new ReassignConfig(set.get(REASSIGN) ? set.get(REASSIGN_MAX) : 0),
        ClientSecurityConfig.from(set));
  }

  /** Nobody waits for these pushes, and nothing is lost without them: they give up soon. */
  private static PushConfig inBackground(PushConfig push) {
    return new PushConfig(
        push.frameBytes(),
        push.inFlightBytes(),
        1,
        push.codec(),
        push.zstdLevel(),
        shorter(push.connectionRetry(), BACKGROUND_UNREACHABLE_MS),
        shorter(push.busyRetry(), BACKGROUND_BUSY_MS));
  }

  private static RetryPolicy shorter(RetryPolicy policy, long patienceMs) {
    return new RetryPolicy(
        policy.maxAttempts(),
        policy.firstDelayMs(),
        policy.maxDelayMs(),
        Math.min(policy.patienceMs(), patienceMs));
  }

  private static long seconds(int count) {
    return Duration.ofSeconds(count).toMillis();
  }
}
