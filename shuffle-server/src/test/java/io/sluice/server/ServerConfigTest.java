package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.config.ConfigException;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigReader;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.config.HostPort;
import io.sluice.common.net.IoMode;
import io.sluice.server.background.BlockSizePolicy;
import io.sluice.server.background.FanInPolicy;
import io.sluice.server.disk.DirectoryConfig;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.memory.MachineMemory;
import io.sluice.server.remote.RemoteConfig;
import io.sluice.server.remote.spi.KerberosSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerConfigTest {
  private static final long GIB = 1L << 30;
  private static final int CORES = 4;
  private static final MachineMemory MACHINE = new MachineMemory(200 * GIB, 8 * GIB, 160 * GIB);
  private static final Map<String, String> REQUIRED =
      Map.of("rss.coordinator.quorum", "c:1", "rss.storage.basePath", "/d");

  @TempDir Path directory;

  private static ServerConfig config(Map<String, String> more) {
    return config(more, MACHINE);
  }

  private static ServerConfig config(Map<String, String> more, MachineMemory machine) {
    Map<String, String> all = new HashMap<>(REQUIRED);
    all.putAll(more);
    return ServerConfig.from(ConfigSet.of(ServerConfig.SCHEMA, all), machine, "10.0.0.1", CORES);
  }

  private static void assertRefused(Map<String, String> more, String message) {
    assertThatThrownBy(() -> config(more))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(message)
        .hasMessageNotContaining("\n");
  }

  @Test
  void everyKeyChangesTheConfiguration() {
    Map<String, String> away =
        Map.ofEntries(
            Map.entry("rss.coordinator.quorum", "a:1,b:2"),
            Map.entry("rss.server.heartbeat.interval", "3s"),
            Map.entry("rss.server.app.expired.withoutHeartbeat", "90s"),
            Map.entry("rss.server.tags", "ssd,rack1"),
            Map.entry("rss.server.zone", "zone-7"),
            Map.entry("rss.server.decommission.check.interval", "9s"),
            Map.entry("rss.server.decommission.move.concurrency", "3"),
            Map.entry("rss.server.decommission.move.rate", "5m"),
            Map.entry("rss.server.host", "127.0.0.1"),
            Map.entry("rss.rpc.server.type", "GRPC"),
            Map.entry("rss.rpc.server.port", "1"),
            Map.entry("rss.server.netty.port", "2"),
            Map.entry("rss.jetty.http.port", "3"),
            Map.entry("rss.server.netty.io.mode", "IO_URING"),
            Map.entry("rss.server.netty.worker.thread", "7"),
            Map.entry("rss.rpc.message.max.size", "4m"),
            Map.entry("rss.server.connections.max", "99"),
            Map.entry("rss.server.connections.per.peer.max", "97"),
            Map.entry("rss.server.connections.per.application.max", "96"),
            Map.entry("rss.server.http.connections.max", "95"),
            Map.entry("rss.server.http.connections.per.peer.max", "94"),
            Map.entry("rss.server.connection.hello.timeout", "5s"),
            Map.entry("rss.server.connection.stall.timeout", "6s"),
            Map.entry("rss.server.connection.body.timeout", "77s"),
            Map.entry("rss.storage.basePath", "/e:HDD"),
            Map.entry("rss.storage.file.group", "shuffle"),
            Map.entry("rss.server.disk.capacity", "10g"),
            Map.entry("rss.server.disk.capacity.ratio", "0.5"),
            Map.entry("rss.server.disk.reserved", "1g"),
            Map.entry("rss.server.disk.demotion.rate", "7m"),
            Map.entry("rss.server.disk.write.timeout", "7s"),
            Map.entry("rss.server.disk.write.errors.max", "7"),
            Map.entry("rss.server.disk.read.errors.max", "7"),
            Map.entry("rss.server.disk.slow.factor", "7"),
            Map.entry("rss.server.disk.slow.threshold", "7s"),
            Map.entry("rss.server.disk.lost.after", "7s"),
            Map.entry("rss.server.health.check.interval.ms", "7000"),
            Map.entry("rss.server.health.check.timeout", "7s"),
            Map.entry("rss.server.health.check.successes", "7"),
            Map.entry("rss.server.high.watermark.write", "90"),
            Map.entry("rss.server.low.watermark.write", "80"),
            Map.entry("rss.server.remote.storage.path", "hdfs://h/sluice"),
            Map.entry("rss.server.remote.storage.capacity", "1t"),
            Map.entry("rss.server.flush.cold.storage.threshold.size", "1m"),
            Map.entry("rss.server.remote.storage.start.timeout", "1s"),
            Map.entry("rss.server.hadoop.classpath", "/h/*"),
            Map.entry("rss.server.hadoop.conf.dir", "/h/conf"),
            Map.entry("rss.security.hadoop.kerberos.krb5-conf.file", "/k"),
            Map.entry("rss.security.hadoop.kerberos.keytab.file", "/k"),
            Map.entry("rss.security.hadoop.kerberos.principal", "p"),
            Map.entry("rss.security.hadoop.kerberos.relogin.interval.sec", "5"),
            Map.entry("rss.server.fsync", "interval"),
            Map.entry("rss.server.fsync.interval", "1s"),
            Map.entry("rss.server.recovery.timeout", "2m"),
            Map.entry("rss.server.merge.hdd.policy", "OFF"),
            Map.entry("rss.server.merge.hdd.block.size", "2m"),
            Map.entry("rss.server.merge.ssd.policy", "FAN_IN"),
            Map.entry("rss.server.merge.ssd.block.size", "1m"),
            Map.entry("rss.server.merge.memory", "99m"),
            Map.entry("rss.server.merge.max.output.size", "1g"),
            Map.entry("rss.server.read.buffer.capacity", "1g"),
            Map.entry("rss.server.read.buffer.capacity.ratio", "0.3"),
            Map.entry("rss.server.disk.read.timeout", "7s"),
            Map.entry("rss.server.disk.read.threads.ssd", "3"),
            Map.entry("rss.server.disk.read.threads.hdd", "4"),
            Map.entry("rss.server.disk.read.ahead", "1m"),
            Map.entry("rss.server.disk.read.drop.behind", "true"),
            Map.entry("rss.server.shortcircuit.enabled", "false"),
            Map.entry("rss.server.shortcircuit.socket", "/run/sluice.sock"),
            Map.entry("rss.server.buffer.capacity", "1g"),
            Map.entry("rss.server.buffer.capacity.ratio", "0.1"),
            Map.entry("rss.server.memory.shuffle.highWaterMark.percentage", "60"),
            Map.entry("rss.server.memory.shuffle.lowWaterMark.percentage", "10"),
            Map.entry("rss.server.shuffles.max", "10"),
            Map.entry("rss.server.huge.partition.threshold", "1g"),
            Map.entry("rss.server.huge-partition.memory.limit.ratio", "0.3"),
            Map.entry("rss.server.scrub.bandwidth", "1m"),
            Map.entry("rss.server.scrub.interval", "2h"),
            Map.entry("rss.security.authentication.enabled", "true"),
            Map.entry("rss.security.authority.file", "/a"),
            Map.entry("rss.security.identity.file", "/i"),
            Map.entry("rss.security.users.file", "/u"),
            Map.entry("rss.security.anonymous.read.enabled", "true"),
            Map.entry("rss.security.tls.enabled", "true"),
            Map.entry("rss.security.tls.certificate.file", "/c"),
            Map.entry("rss.security.tls.key.file", "/k"),
            Map.entry("rss.security.tls.trust.file", "/t"),
            Map.entry("rss.security.tls.peer.name", "sluice"),
            Map.entry("rss.security.tls.client.certificates", "REQUIRED"),
            Map.entry("rss.server.termination.file", "/t"),
            Map.entry("rss.server.termination.deadline", "7s"),
            Map.entry("rss.server.stop.timeout", "1s"));
    // Keys with a single value, or that need other keys.
    Set<String> notAlone =
        Set.of(
            "rss.storage.type",
            "rss.security.hadoop.kerberos.enable",
            "rss.server.merge.hdd.fan.in",
            "rss.server.merge.ssd.fan.in");
    assertThat(ServerConfig.SCHEMA.keys().stream().map(ConfigKey::name))
        .allMatch(name -> away.containsKey(name) ^ notAlone.contains(name));
    assertThat(ServerConfig.SCHEMA.keys()).hasSize(away.size() + notAlone.size());
    ServerConfig base = config(Map.of());
    assertThat(config(Map.of())).isEqualTo(base);
    away.forEach(
        (key, value) ->
            assertThat(config(Map.of(key, value))).as("%s=%s", key, value).isNotEqualTo(base));
  }

  @Test
  void passesHadoopSettingsToTheRemoteTier() {
    Map<String, String> given =
        Map.of(
            "rss.storage.type", "MEMORY_LOCALFILE_HDFS",
            "rss.server.remote.storage.path", "hdfs://h/sluice",
            "rss.server.hadoop.classpath", "/h/*",
            "rss.server.hadoop.dfs.replication", "2",
            "rss.server.hadoop.fs.s3a.secret.key", "hush");
    RemoteConfig remote = config(given).storage().remote();
    assertThat(remote.used()).isTrue();
    assertThat(remote.path()).contains("hdfs://h/sluice");
    assertThat(remote.capacityBytes()).isEqualTo(Long.MAX_VALUE);
    assertThat(remote.properties())
        .isEqualTo(Map.of("dfs.replication", "2", "fs.s3a.secret.key", "hush"));
    assertThat(remote.kerberos().settings()).isEmpty();
    Map<String, String> all = new HashMap<>(REQUIRED);
    all.putAll(given);
    assertThat(ConfigSet.of(ServerConfig.SCHEMA, all).describe()).doesNotContain("hush");
    assertThat(config(Map.of()).storage().remote().used()).isFalse();
    assertRefused(
        Map.of("rss.storage.type", "MEMORY_LOCALFILE_HDFS"),
        "rss.storage.type MEMORY_LOCALFILE_HDFS needs rss.server.remote.storage.path");
    assertRefused(
        Map.of("rss.server.remote.storage.path", "/plain"),
        "is not allowed; expected: a directory with its scheme, such as hdfs://cluster/sluice");
  }

  @Test
  void aKerberosLoginNeedsKeytabAndPrincipal() {
    assertRefused(
        Map.of("rss.security.hadoop.kerberos.enable", "true"),
        "rss.security.hadoop.kerberos.enable needs rss.security.hadoop.kerberos.keytab.file and"
            + " rss.security.hadoop.kerberos.principal");
    RemoteConfig remote =
        config(
                Map.of(
                    "rss.security.hadoop.kerberos.enable", "true",
                    "rss.security.hadoop.kerberos.keytab.file", "/etc/sluice.keytab",
                    "rss.security.hadoop.kerberos.principal", "sluice@REALM",
                    "rss.security.hadoop.kerberos.relogin.interval.sec", "30"))
            .storage()
            .remote();
    assertThat(remote.kerberos().settings())
        .contains(
            new KerberosSettings(
                "sluice@REALM", Path.of("/etc/sluice.keytab"), Optional.empty(), 30_000));
  }

  @Test
  void eachKindOfDiskHasItsOwnMergePolicy() {
    assertThat(config(Map.of()).storage().merge().policies())
        .isEqualTo(
            Map.of(
                StorageKind.HDD,
                new BlockSizePolicy(1 << 20),
                StorageKind.SSD,
                new BlockSizePolicy(16 << 10)));
    Map<String, String> given =
        Map.of(
            "rss.server.merge.hdd.policy", "FAN_IN",
            "rss.server.merge.hdd.fan.in", "7",
            "rss.server.merge.ssd.policy", "OFF");
    assertThat(config(given).storage().merge().policies())
        .isEqualTo(Map.of(StorageKind.HDD, new FanInPolicy(7)));
    assertRefused(
        Map.of("rss.server.merge.memory", "60g", "rss.server.buffer.capacity", "110g"),
        "rss.server.merge.memory: 60GiB exceeds the JVM's direct memory that blocks leave free:"
            + " 50.0 GiB");
  }

  @Test
  void acceptsAUniffleConfiguration() throws IOException {
    Path file = directory.resolve("server.conf");
    Files.writeString(
        file,
        """
        # as found in the field
        rss.coordinator.quorum c1:19999,c2:19999
        rss.storage.type MEMORY_LOCALFILE
        rss.storage.basePath /ssd1:SSD,/hdd1:HDD
        rss.server.buffer.capacity 140g
        rss.server.read.buffer.capacity 20g
        rss.rpc.executor.size 1000
        rss.rpc.server.type GRPC_NETTY
        rss.rpc.server.port 19990
        rss.rpc.message.max.size 1073741824
        rss.jetty.http.port 19998
        rss.server.netty.epoll.enable true
        rss.server.netty.port 17000
        rss.server.netty.connect.backlog 128
        rss.server.flush.localfile.threadPool.size 10
        rss.server.disk.capacity 1t
        rss.server.heartbeat.interval 10000
        rss.server.preAllocation.expired 120000
        rss.server.commit.timeout 600000
        rss.server.app.expired.withoutHeartbeat 120000
        rss.server.huge-partition.memory.limit.ratio 0.2
        rss.server.health.check.enable true
        """);
    ConfigSet set = ConfigReader.of(ServerConfig.SCHEMA).file(file).read();
    ServerConfig config = ServerConfig.from(set, MACHINE, null, CORES);
    assertThat(config.memory().capacityBytes()).isEqualTo(140 * GIB);
    assertThat(config.cluster().heartbeat().coordinators())
        .containsExactly(new HostPort("c1", 19999), new HostPort("c2", 19999));
    assertThat(config.cluster().heartbeat().intervalMs()).isEqualTo(10_000);
    assertThat(config.cluster().minLeaseMs()).isEqualTo(120_000);
    assertThat(config.storage().disk().directories())
        .containsExactly(
            new DirectoryConfig(Path.of("/ssd1"), Optional.of(StorageKind.SSD), 1024 * GIB, 0.9),
            new DirectoryConfig(Path.of("/hdd1"), Optional.of(StorageKind.HDD), 1024 * GIB, 0.9));
    assertThat(config.network().rpcPort()).isEqualTo(19990);
    assertThat(config.network().nettyPort()).contains(17000);
    assertThat(config.network().ioMode()).isEqualTo(IoMode.EPOLL);
    assertThat(config.network().maxBodyBytes()).as("capped").isEqualTo(64 << 20);
    assertThat(config.network().rpcThreads()).as("four per core").isEqualTo(16);
    assertThat(set.notices()).hasSize(7).allMatch(line -> line.contains("has no effect"));
    assertThat(config.reads().budgetBytes()).isEqualTo(20L << 30);
  }

  @Test
  void theSmallestServerAcceptsAFrame() {
    ServerConfig config = config(Map.of("rss.server.buffer.capacity", "16m"));
    assertThat(config.network().maxBodyBytes()).as("largest body of clients").isEqualTo(4 << 20);
  }

  @Test
  void theDefaultCapacityIsAShareOfTheMachineWithinTheJvmsLimit() {
    assertThat(config(Map.of(), new MachineMemory(10 * GIB, GIB, 100 * GIB)).memory())
        .extracting(memory -> memory.capacityBytes() / (1L << 20))
        .isEqualTo(6144L);
    MachineMemory small = new MachineMemory(10 * GIB, GIB, GIB);
    assertThat(config(Map.of(), small).memory().capacityBytes()).isEqualTo(small.arenaMaxBytes());
    assertThatThrownBy(() -> config(Map.of(), new MachineMemory(10 << 20, 1, GIB)))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(
            "results in 6.0 MiB of memory for blocks, but at least 16.0 MiB are needed");
  }

  @Test
  void refusesMoreMemoryThanAvailable() {
    assertRefused(
        Map.of("rss.server.buffer.capacity", "201g"),
        "rss.server.buffer.capacity: 201GiB is more than the machine's memory of 200 GiB");
    assertRefused(
        Map.of("rss.server.buffer.capacity", "160g"), "in the JVM's direct memory of 160 GiB");
  }

  @Test
  void refusesWatermarksInTheWrongOrder() {
    assertRefused(
        Map.of("rss.server.memory.shuffle.lowWaterMark.percentage", "75"),
        "rss.server.memory.shuffle.lowWaterMark.percentage (75) must be less than"
            + " rss.server.memory.shuffle.highWaterMark.percentage (75)");
    assertRefused(
        Map.of("rss.server.high.watermark.write", "20"),
        "rss.server.low.watermark.write (85) must be less than");
  }

  @Test
  void refusesABodyTimeoutBelowTheStallTimeout() {
    assertRefused(
        Map.of("rss.server.connection.body.timeout", "59s"),
        "rss.server.connection.stall.timeout (1m) must not be more than"
            + " rss.server.connection.body.timeout (59s)");
  }

  @Test
  void refusesTheSamePortTwiceUnlessItIsZero() {
    assertRefused(
        Map.of("rss.rpc.server.port", "17000"),
        "rss.rpc.server.port and rss.server.netty.port are both 17000");
    assertThat(
            config(Map.of("rss.rpc.server.port", "17000", "rss.rpc.server.type", "GRPC"))
                .network()
                .nettyPort())
        .isEmpty();
    Map<String, String> any =
        Map.of(
            "rss.rpc.server.port", "0", "rss.server.netty.port", "0", "rss.jetty.http.port", "0");
    assertThat(config(any).network().nettyPort()).contains(0);
  }

  @Test
  void refusesInvalidDirectories() {
    String form = "absolute directories, each /path, /path:SSD or /path:HDD";
    assertRefused(Map.of("rss.storage.basePath", "data"), form);
    assertRefused(Map.of("rss.storage.basePath", "/a,b"), form);
    assertRefused(Map.of("rss.storage.basePath", "/a:TAPE"), form);
    assertRefused(Map.of("rss.storage.basePath", "SSD"), form);
    assertThat(config(Map.of("rss.storage.basePath", "/a:b/c")).storage().disk().directories())
        .containsExactly(new DirectoryConfig(Path.of("/a:b/c"), Optional.empty(), 0, 0.9));
    assertRefused(Map.of("rss.storage.basePath", " , "), "at least one directory");
    assertRefused(Map.of("rss.storage.basePath", "/a:SSD,/b/../a"), "each directory once");
  }

  @Test
  void refusesASocketPathThatTheSystemCannotHold() {
    String longest = "/" + "a".repeat(106);
    assertThat(config(Map.of("rss.server.shortcircuit.socket", longest)).shortCircuit())
        .hasValueSatisfying(config -> assertThat(config.socket()).hasToString(longest));
    assertRefused(
        Map.of("rss.server.shortcircuit.socket", longest + "a"), "a path of at most 107 bytes");
    assertRefused(Map.of("rss.server.shortcircuit.socket", "a"), "an absolute path");
  }

  @Test
  void reportsUnsupportedSettings() {
    assertRefused(
        Map.of("rss.storage.type", "MEMORY_HDFS"),
        "rss.storage.type: \"MEMORY_HDFS\" is not one of MEMORY_LOCALFILE");
    assertRefused(Map.of("rss.jetty.ssl.enable", "true"), "encrypts every port");
    assertRefused(Map.of("rss.http.basic.authorizationCredentials", "x"), "no login");
    assertRefused(
        Map.of("rss.server.buffer.capcity", "1g"), "did you mean rss.server.buffer.capacity?");
  }

  @Test
  void aServerNeedsACoordinatorAndADirectory() {
    assertThatThrownBy(() -> ConfigSet.of(ServerConfig.SCHEMA, Map.of()))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("rss.coordinator.quorum is not set")
        .hasMessageContaining("rss.storage.basePath is not set");
    assertRefused(Map.of("rss.coordinator.quorum", ","), "at least one host:port");
  }

  @Test
  void mergesDuplicateCoordinators() {
    assertThat(
            config(Map.of("rss.coordinator.quorum", "a:1,a:1"))
                .cluster()
                .heartbeat()
                .coordinators())
        .isEqualTo(List.of(new HostPort("a", 1)));
  }
}
