package io.sluice.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.auth.SecurityConfig;
import io.sluice.common.config.ConfigException;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.config.HostPort;
import io.sluice.common.tls.TlsConfig;
import io.sluice.coordinator.assign.AssignmentConfig;
import io.sluice.coordinator.assign.HostRule;
import io.sluice.coordinator.cluster.ApplicationConfig;
import io.sluice.coordinator.cluster.ServerTableConfig;
import io.sluice.coordinator.quota.Limits;
import io.sluice.coordinator.quota.QuotaConfig;
import io.sluice.coordinator.raft.GroupConfig;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CoordinatorConfigTest {

  private static CoordinatorConfig config(Map<String, String> values) {
    return CoordinatorConfig.from(ConfigSet.of(CoordinatorConfig.SCHEMA, values));
  }

  @Test
  void hasTheDefaultsOfUniffle() {
    assertThat(config(Map.of()))
        .isEqualTo(
            new CoordinatorConfig(
                new CoordinatorPortsConfig("", 19999, 19998, 20_000, 2_500, 256, 64),
                new FilesConfig(Optional.empty(), Optional.empty(), Optional.empty(), 10_000),
                new GroupConfig(List.of(), Optional.empty()),
                new ServerTableConfig(30_000, 5_000, 3_600_000, 10_000, 0),
                new ApplicationConfig(60_000, 10_000, 600_000, 10_000, 1000),
                new AssignmentConfig(HostRule.PREFER_DIFF, 9, 0.95),
                new QuotaConfig(Optional.empty(), Optional.empty(), Optional.empty(), Limits.NONE),
                new SecurityConfig(
                    false,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    72L * 3_600_000,
                    false,
                    TlsConfig.OFF)));
  }

  @Test
  void everyKeySetsItsField() {
    Map<String, String> values = new HashMap<>();
    values.put("rss.coordinator.host", "127.0.0.1");
    values.put("rss.rpc.server.port", "1");
    values.put("rss.jetty.http.port", "2");
    values.put("rss.coordinator.data.dir", "file:///var/data");
    values.put("rss.coordinator.quorum", "c1:1,c2:1");
    values.put("rss.coordinator.quorum.self", "c2:1");
    values.put("rss.coordinator.server.heartbeat.timeout", "4s");
    values.put("rss.coordinator.server.heartbeat.interval", "1500");
    values.put("rss.coordinator.server.forget.after", "6m");
    values.put("rss.coordinator.startup-silent-period.enabled", "true");
    values.put("rss.coordinator.startup-silent-period.duration", "8s");
    values.put("rss.coordinator.app.expired", "9s");
    values.put("rss.coordinator.app.max", "10");
    values.put("rss.coordinator.quota.default.app.num", "11");
    values.put("rss.coordinator.assignment.host.strategy", "MUST_DIFF");
    values.put("rss.coordinator.shuffle.nodes.max", "15");
    values.put("rss.coordinator.assignment.storage.used.max", "50");
    values.put("rss.coordinator.exclude.nodes.file.path", "file:///etc/exclude");
    values.put("rss.coordinator.files.check.interval", "16s");
    values.put("rss.coordinator.connections.max", "24");
    values.put("rss.coordinator.connections.per.peer.max", "25");
    values.put("rss.coordinator.http.connections.max", "26");
    values.put("rss.coordinator.http.connections.per.peer.max", "27");
    values.put("rss.coordinator.quota.default.bytes", "18m");
    values.put("rss.coordinator.quota.default.partitions", "19");
    values.put("rss.coordinator.quota.default.app.bytes", "20m");
    values.put("rss.coordinator.quota.default.app.partitions", "21");
    values.put("rss.coordinator.access.candidates.path", "/etc/access");
    values.put("rss.coordinator.access.groups.path", "/etc/groups");
    values.put("rss.coordinator.quota.default.path", "file:///etc/quotas");
    values.put("rss.coordinator.dynamicClientConf.enabled", "true");
    values.put("rss.coordinator.dynamicClientConf.path", "/etc/clients");
    values.put("rss.security.authentication.enabled", "true");
    values.put("rss.security.authority.file", "/etc/authority");
    values.put("rss.security.identity.file", "/etc/identity");
    values.put("rss.security.users.file", "/etc/users");
    values.put("rss.security.token.lifetime", "17s");
    values.put("rss.security.tls.enabled", "true");
    values.put("rss.security.tls.certificate.file", "/etc/certificate");
    values.put("rss.security.tls.key.file", "/etc/key");
    values.put("rss.security.tls.trust.file", "/etc/trust");
    values.put("rss.security.tls.client.certificates", "optional");
    values.put("rss.security.tls.peer.name", "sluice");
    values.put("rss.security.anonymous.read.enabled", "true");
    assertThat(CoordinatorConfig.SCHEMA.keys())
        .extracting(ConfigKey::name)
        .containsExactlyInAnyOrderElementsOf(values.keySet());
    assertThat(config(values))
        .isEqualTo(
            new CoordinatorConfig(
                new CoordinatorPortsConfig("127.0.0.1", 1, 2, 24, 25, 26, 27),
                new FilesConfig(
                    Optional.of(Path.of("/var/data")),
                    Optional.of(Path.of("/etc/exclude")),
                    Optional.of(Path.of("/etc/clients")),
                    16_000),
                new GroupConfig(
                    List.of(new HostPort("c1", 1), new HostPort("c2", 1)),
                    Optional.of(new HostPort("c2", 1))),
                new ServerTableConfig(4_000, 1_500, 360_000, 10_000, 8_000),
                new ApplicationConfig(9_000, 10, 600_000, 10_000, 1000),
                new AssignmentConfig(HostRule.MUST_DIFF, 15, 0.5),
                new QuotaConfig(
                    Optional.of(Path.of("/etc/access")),
                    Optional.of(Path.of("/etc/groups")),
                    Optional.of(Path.of("/etc/quotas")),
                    new Limits(11, 18 << 20, 19, 20 << 20, 21)),
                new SecurityConfig(
                    true,
                    Optional.of(Path.of("/etc/authority")),
                    Optional.of(Path.of("/etc/identity")),
                    Optional.of(Path.of("/etc/users")),
                    17_000,
                    true,
                    new TlsConfig(
                        true,
                        Optional.of(Path.of("/etc/certificate")),
                        Optional.of(Path.of("/etc/key")),
                        Optional.of(Path.of("/etc/trust")),
                        TlsConfig.ClientCertificates.OPTIONAL,
                        Optional.of("sluice")))));
  }

  @Test
  void severalCoordinatorsNeedADirectory() {
    assertThatThrownBy(() -> config(Map.of("rss.coordinator.quorum", "c1:1,c2:1")))
        .hasMessageContaining("set rss.coordinator.data.dir");
    assertThat(config(Map.of("rss.coordinator.quorum", "c1:1")).group().isShared()).isFalse();
  }

  @Test
  void refusesASecretInTheConfigurationWithoutLoggingIt() {
    assertThatThrownBy(() -> config(Map.of("rss.security.user.secret", "c2VjcmV0")))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("rss.security.user.secret.file")
        .message()
        .doesNotContain("c2VjcmV0");
  }

  @Test
  void acceptsACoordinatorConfOfUniffle() {
    Map<String, String> values = new HashMap<>();
    values.put("rss.rpc.server.port", "19999");
    values.put("rss.jetty.http.port", "19998");
    values.put("rss.coordinator.server.heartbeat.timeout", "30000");
    values.put("rss.coordinator.app.expired", "60000");
    values.put("rss.coordinator.shuffle.nodes.max", "5");
    values.put("rss.coordinator.exclude.nodes.file.path", "/opt/rss/exclude_nodes");
    values.put("rss.coordinator.assignment.strategy", "partition_balance");
    values.put("rss.coordinator.select.partition.strategy", "CONTINUOUS");
    values.put(
        "rss.coordinator.access.checkers",
        "org.apache.uniffle.coordinator.access.checker.AccessClusterLoadChecker");
    values.put("rss.coordinator.access.loadChecker.memory.percentage", "15.0");
    values.put("rss.coordinator.dynamicClientConf.enabled", "true");
    values.put("rss.coordinator.dynamicClientConf.path", "file:///conf/dynamic.conf");
    values.put("rss.coordinator.remote.storage.path", "hdfs://a/b");
    values.put("rss.rpc.executor.size", "1000");
    ConfigSet set = ConfigSet.of(CoordinatorConfig.SCHEMA, values);
    assertThat(CoordinatorConfig.from(set).assignment().maxServersPerShuffle()).isEqualTo(5);
    assertThat(set.notices())
        .hasSize(6)
        .anyMatch(notice -> notice.contains("rss.coordinator.select.partition.strategy"));
  }

  @Test
  void refusesAHeartbeatIntervalNotBelowTheTimeout() {
    assertThatThrownBy(() -> config(Map.of("rss.coordinator.server.heartbeat.timeout", "5s")))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(
            "rss.coordinator.server.heartbeat.timeout: expected more than"
                + " rss.coordinator.server.heartbeat.interval (5000 ms), found 5000 ms");
  }

  @Test
  void refusesAnExcludeFileThatIsNotLocal() {
    assertThatThrownBy(
            () -> config(Map.of("rss.coordinator.exclude.nodes.file.path", "hdfs://a/b")))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("a local path");
  }

  @Test
  void suggestsTheMostSimilarKey() {
    assertThatThrownBy(() -> config(Map.of("rss.coordinator.app.expire", "60s")))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("rss.coordinator.app.expired");
  }
}
