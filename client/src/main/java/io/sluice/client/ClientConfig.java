package io.sluice.client;

import io.sluice.client.coordinator.CoordinatorClientConfig;
import io.sluice.client.file.RunFilesConfig;
import io.sluice.client.push.PushConfig;
import io.sluice.client.read.ReadConfig;
import io.sluice.client.security.ClientSecurityConfig;
import io.sluice.client.server.RetryConfig;
import io.sluice.common.auth.SecurityConfig;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSchema;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.config.ZoneText;
import io.sluice.transport.client.TransportConfig;
import java.util.Optional;

/**
 * Configuration of a client, read once at start. Each engine has a prefix for the keys, see {@link
 * io.sluice.common.config.ConfigReader#enginePrefix}.
 *
 * @param directMemoryBytes maximum direct memory of frames and slices of the process
 * @param runFiles which run files are read without their servers
 * @param reassign replacement and additional servers of a shuffle
 * @param security user and TLS settings of a driver
 * @param traced whether pushes and reads have spans of OpenTelemetry
 */
public record ClientConfig(
    CoordinatorClientConfig coordinator,
    ConnectionConfig connection,
    WriterConfig writer,
    PushConfig push,
    ReadConfig read,
    long directMemoryBytes,
    RunFilesConfig runFiles,
    LocalOutputConfig localOutput,
    ReassignConfig reassign,
    ClientSecurityConfig security,
    boolean traced) {

  static final ConfigKey<Long> DIRECT_MEMORY =
      ConfigKey.dataSize("rss.client.direct.memory.max")
          .defaultValue(512L << 20)
          .atLeast(1L << 20)
          .doc(
              "Maximum direct memory of one process for unacknowledged frames and for slices;"
                  + " half of the JVM's limit of direct memory if that is less. Above it, each"
                  + " task continues with one slice per read, or with its open frames and one"
                  + " sent frame. Raise it for executors with many cores.")
          .build();

  /** Evaluated by the plugin of the engine, which knows the inputs of a shuffle. */
  public static final ConfigKey<Long> AUTO_LOCAL =
      ConfigKey.dataSize("rss.auto.local.threshold")
          .defaultValue(0L)
          .atLeast(0L)
          .doc(
              "Maximum input size of a stage whose shuffle uses Spark's built-in shuffle. It"
                  + " applies to stages that read only completed shuffles; 0 disables it. Raise"
                  + " it if jobs have many small stages.")
          .build();

  /** Evaluated by the plugins, which know how records are serialized. */
  public static final ConfigKey<Boolean> ROW_PLANES =
      ConfigKey.bool("rss.client.io.row.planes")
          .defaultValue(true)
          .doc(
              "Whether blocks with rows of Spark SQL, or with MapReduce keys or values of one"
                  + " length, are encoded column by column before compression, if that makes them"
                  + " smaller. Set `false` to rule out the encoding as the cause of a problem.")
          .build();

  static final ConfigKey<Boolean> TRACE =
      ConfigKey.bool("rss.client.trace.enabled")
          .defaultValue(false)
          .doc(
              "Whether each push and each read of a task is a span of OpenTelemetry. The API of"
                  + " OpenTelemetry must be on the class path of executors; its Java agent or its"
                  + " SDK exports the spans.")
          .build();

  /** Every key of a client. */
  public static final ConfigSchema SCHEMA =
      SecurityConfig.withoutSecrets(ConfigSchema.builder("client"))
          .title("Spark jobs")
          .intro(
              "Set these keys in the configuration of the job. MapReduce jobs use the prefix"
                  + " `mapreduce.` instead of `spark.`.")
          .shownPrefix("spark.")
          .first("rss.coordinator.quorum", "rss.local.output", "rss.data.replica")
          .keys(CoordinatorClientConfig.KEYS)
          .keys(ConnectionConfig.KEYS)
          .keys(RetryConfig.KEYS)
          .keys(WriterConfig.KEYS)
          .keys(PushConfig.KEYS)
          .keys(ROW_PLANES)
          .keys(AUTO_LOCAL)
          .keys(CleanupConfig.KEYS)
          .keys(ReassignConfig.KEYS)
          .keys(ReadConfig.KEYS)
          .keys(DIRECT_MEMORY)
          .keys(TRACE)
          .keys(RunFilesConfig.KEYS)
          .keys(LocalOutputConfig.KEYS)
          .keys(ClientSecurityConfig.KEYS)
          .ignoredIn(ClientConfig.class, "uniffle-keys.txt")
          .rule(ClientConfig::checkQuorum)
          .build();

  private static Optional<String> checkQuorum(ConfigSet set) {
    int quorum = set.get(PushConfig.WRITE_QUORUM);
    int replicas = set.get(CoordinatorClientConfig.REPLICAS);
    return quorum <= replicas
        ? Optional.empty()
        : Optional.of(
            PushConfig.WRITE_QUORUM.name()
                + "="
                + quorum
                + " exceeds "
                + CoordinatorClientConfig.REPLICAS.name()
                + "="
                + replicas
                + "; set it to at most the number of replicas");
  }

  /** Reads the configuration, with LZ4 as the default codec. */
  public static ClientConfig from(ConfigSet set) {
    return from(set, BlockCodec.LZ4);
  }

  /**
   * @param engineCodec default codec, from the configuration of the engine
   */
  public static ClientConfig from(ConfigSet set, BlockCodec engineCodec) {
    ConnectionConfig connection = ConnectionConfig.from(set);
    TransportConfig transport = connection.transport();
    RetryConfig retry = RetryConfig.from(set);
    PushConfig push = PushConfig.from(set, retry, engineCodec);
    String zone =
        ZoneText.of(set.find(CoordinatorClientConfig.ZONE), System.getenv(ZoneText.ENVIRONMENT));
    return new ClientConfig(
        CoordinatorClientConfig.from(set, transport.requestTimeoutMs(), zone),
        connection,
        WriterConfig.from(set),
        push,
        ReadConfig.from(
            set, retry, (long) transport.connectTimeoutMs() + transport.requestTimeoutMs(), zone),
        set.get(DIRECT_MEMORY),
        RunFilesConfig.from(set),
        LocalOutputConfig.from(set, push),
        ReassignConfig.from(set),
        ClientSecurityConfig.from(set),
        set.get(TRACE));
  }

  /** Returns a copy with other settings of pushes and reads. */
  public ClientConfig with(PushConfig otherPush, ReadConfig otherRead) {
    return new ClientConfig(
        coordinator,
        connection,
        writer,
        otherPush,
        otherRead,
        directMemoryBytes,
        runFiles,
        localOutput,
        reassign,
        security,
        traced);
  }
}
