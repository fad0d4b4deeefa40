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
import io.sluice.transport.client.TransportConfig;
import java.util.Optional;

/**
 * The configuration of a client, read once at start. An engine reads it with its own prefix, see
 * {@link io.sluice.common.config.ConfigReader#enginePrefix}.
 *
 * @param directMemoryBytes limit of frames and slices of the process
 * @param runFiles which run files are read without their servers, where that is possible
 * @param reassign how a shuffle comes to further servers
 * @param security who a driver is
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
    ClientSecurityConfig security) {

  static final ConfigKey<Long> DIRECT_MEMORY =
      ConfigKey.dataSize("rss.client.direct.memory.max")
          .defaultValue(512L << 20)
          .atLeast(1L << 20)
          .doc(
              "Maximum direct memory of one process for frames without acknowledgement and for"
                  + " slices that its tasks read, and at most half of the JVM's limit of direct memory."
                  + " Above it, each task continues with one slice per read, or with its open frames"
                  + " and one that it sends. Raise it for executors with many cores.")
          .build();

  /** Read by the engine's plugin, which alone knows what a shuffle is computed from. */
  public static final ConfigKey<Long> AUTO_LOCAL =
      ConfigKey.dataSize("rss.auto.local.threshold")
          .defaultValue(0L)
          .atLeast(0L)
          .doc(
              "A Spark shuffle whose map tasks read only complete shuffles of at most this many"
                  + " bytes uses Spark's own shuffle; 0: none does. Raise it if jobs have many small"
                  + " stages.")
          .build();

  /** Every key of a client. */
  public static final ConfigSchema SCHEMA =
      SecurityConfig.withoutSecrets(ConfigSchema.builder("client"))
          .title("Spark jobs")
          .intro(
              "Set in the job's own configuration. MapReduce jobs write `mapreduce.` in place"
                  + " of `spark.`.")
          .shownPrefix("spark.")
          .keys(CoordinatorClientConfig.KEYS)
          .keys(ConnectionConfig.KEYS)
          .keys(RetryConfig.KEYS)
          .keys(WriterConfig.KEYS)
          .keys(PushConfig.KEYS)
          .keys(AUTO_LOCAL)
          .keys(ReassignConfig.KEYS)
          .keys(ReadConfig.KEYS)
          .keys(DIRECT_MEMORY)
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
                + " is "
                + quorum
                + " of "
                + replicas
                + " copies; give at most "
                + CoordinatorClientConfig.REPLICAS.name());
  }

  /** The configuration with LZ4 where no codec is set. */
  public static ClientConfig from(ConfigSet set) {
    return from(set, BlockCodec.LZ4);
  }

  /**
   * @param engineCodec what the engine's own configuration asks for
   */
  public static ClientConfig from(ConfigSet set, BlockCodec engineCodec) {
    ConnectionConfig connection = ConnectionConfig.from(set);
    TransportConfig transport = connection.transport();
    RetryConfig retry = RetryConfig.from(set);
    PushConfig push = PushConfig.from(set, retry, engineCodec);
    return new ClientConfig(
        CoordinatorClientConfig.from(set, transport.requestTimeoutMs()),
        connection,
        WriterConfig.from(set),
        push,
        ReadConfig.from(
            set, retry, (long) transport.connectTimeoutMs() + transport.requestTimeoutMs()),
        set.get(DIRECT_MEMORY),
        RunFilesConfig.from(set),
        LocalOutputConfig.from(set, push),
        ReassignConfig.from(set),
        ClientSecurityConfig.from(set));
  }

  /** The same with other retries. */
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
        security);
  }
}
