package io.sluice.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.sluice.common.config.ConfigException;
import io.sluice.common.config.ConfigSet;
import io.sluice.coordinator.log.Backup;
import io.sluice.proto.AdminGrpc;
import io.sluice.proto.BackupRequest;
import io.sluice.proto.Status;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Backups of a quorum with authentication, and their restoration after the loss of everything. */
@Timeout(120)
class BackupAndRestoreTest {
  @TempDir Path directory;
  private SecuredQuorum quorum;

  @BeforeEach
  void start() throws IOException {
    quorum = new SecuredQuorum(Files.createDirectory(directory.resolve("first")));
    quorum.start();
  }

  @AfterEach
  void stop() throws InterruptedException {
    quorum.close();
  }

  private void change() {
    CoordinatorProcess any = quorum.coordinators().get(1);
    assertThat(quorum.register(any, "ann~app-1").getStatus()).isEqualTo(Status.OK);
    assertThat(quorum.send(any, "PUT", "/api/v1/quotas/bob").statusCode()).isEqualTo(200);
    assertThat(quorum.call(any, "POST", "/api/v1/users/eve/revocation").getStatus()).isEqualTo(200);
  }

  private byte[] backup(CoordinatorProcess coordinator, String user, boolean withoutQuorum) {
    return quorum
        .admin(coordinator, user)
        .backup(BackupRequest.newBuilder().setWithoutQuorum(withoutQuorum).build())
        .getFile()
        .toByteArray();
  }

  /** Asks all coordinators until one that leads answers; another one can be elected meanwhile. */
  private byte[] ofLeader() {
    while (true) {
      for (CoordinatorProcess each : quorum.coordinators()) {
        try {
          return backup(each, "ops", false);
        } catch (StatusRuntimeException e) {
          assertThat(e.getStatus().getCode()).isEqualTo(Code.FAILED_PRECONDITION);
        }
      }
      LockSupport.parkNanos(10_000_000);
    }
  }

  private void assertRestored() {
    for (CoordinatorProcess each : quorum.coordinators()) {
      assertThat(quorum.send(each, "GET", "/api/v1/applications").body()).contains("ann~app-1");
      assertThat(quorum.send(each, "GET", "/api/v1/quotas").body()).contains("bob");
      assertThat(quorum.send(each, "GET", "/api/v1/revocations").body()).contains("eve");
      assertThat(quorum.send(each, "GET", "/api/v1/events").body()).contains("TOKENS_REVOKED");
    }
  }

  @Test
  void aNewQuorumHasTheStateOfTheBackup() throws Exception {
    change();
    byte[] file = ofLeader();
    quorum.close();
    quorum = new SecuredQuorum(Files.createDirectory(directory.resolve("second")));
    for (ConfigSet configuration : quorum.configurations()) {
      assertThat(StateRestore.restore(configuration, file).toString())
          .isEqualTo(
              "exclusions=0 usersWithLimits=1 revocations=1 decommissions=0 liveApplications=1");
    }

    quorum.start();

    assertRestored();
    assertThat(Backup.decode(file).leading()).isTrue();
    assertThat(Backup.decode(ofLeader()).records())
        .containsExactlyElementsOf(Backup.decode(file).records());
    quorum.close();
    quorum.start();
    assertRestored();
  }

  @Test
  void theLastCoordinatorOfALostMajorityStillGivesItsState() {
    change();
    CoordinatorProcess last = quorum.coordinators().get(2);
    // All coordinators have applied the change before the others are lost.
    while (!new String(backup(last, "ops", true), StandardCharsets.ISO_8859_1).contains("eve")) {
      Thread.onSpinWait();
    }
    quorum.coordinators().get(0).close();
    quorum.coordinators().get(1).close();
    while (quorum.send(last, "GET", "/readyz").statusCode() == 200) {
      Thread.onSpinWait();
    }

    byte[] file = backup(last, "ops", true);

    assertThat(file).asString(StandardCharsets.ISO_8859_1).contains("ann~app-1");
    assertThatThrownBy(() -> backup(last, "ops", false))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> assertThat(e.getStatus().getCode()).isEqualTo(Code.FAILED_PRECONDITION));
  }

  @Test
  void onlyAdminsGetABackup() {
    assertThatThrownBy(() -> backup(quorum.coordinators().get(0), "ann", true))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> assertThat(e.getStatus().getCode()).isEqualTo(Code.PERMISSION_DENIED));
  }

  @Test
  void aSingleCoordinatorBecomesAQuorumAndASingleOneAgain() throws Exception {
    change();
    byte[] ofQuorum = ofLeader();
    Path data = directory.resolve("single");
    ConfigSet single = single(data);
    // A directory of an earlier quorum is not used.
    Files.createDirectories(data.resolve("quorum"));
    StateRestore.restore(single, ofQuorum);

    byte[] ofSingle;
    try (CoordinatorProcess coordinator = CoordinatorProcess.start(single)) {
      ofSingle =
          AdminGrpc.newBlockingStub(quorum.channel(coordinator))
              .withDeadlineAfter(1, TimeUnit.MINUTES)
              .backup(BackupRequest.getDefaultInstance())
              .getFile()
              .toByteArray();
    }

    assertThat(Backup.decode(ofSingle).coordinator()).isEmpty();
    quorum.close();
    quorum = new SecuredQuorum(Files.createDirectory(directory.resolve("second")));
    for (ConfigSet configuration : quorum.configurations()) {
      StateRestore.restore(configuration, ofSingle);
    }
    quorum.start();
    assertRestored();
  }

  private static ConfigSet single(Path data) {
    return ConfigSet.of(
        CoordinatorConfig.SCHEMA,
        Map.of(
            "rss.coordinator.host", "127.0.0.1",
            "rss.rpc.server.port", "0",
            "rss.jetty.http.port", "0",
            "rss.coordinator.data.dir", data.toString()));
  }

  @Test
  void refusesADamagedFileAndADirectoryThatIsNotEmpty() throws Exception {
    byte[] file = new Backup(1, "", true, List.of()).encode();
    byte[] damaged = file.clone();
    damaged[damaged.length - 1] ^= 1;
    byte[] unknown = new Backup(1, "", true, List.of(new byte[] {1, 2, 3})).encode();
    Path data = directory.resolve("data");

    assertThatThrownBy(() -> StateRestore.restore(single(data), damaged))
        .isInstanceOf(IOException.class)
        .hasMessage("the backup cannot be restored: the checksum does not match; use another one");
    assertThatThrownBy(() -> StateRestore.restore(single(data), unknown))
        .isInstanceOf(IOException.class)
        .hasMessageNotContaining("\n");
    assertThat(data).doesNotExist();
    StateRestore.restore(single(data), file);
    assertThatThrownBy(() -> StateRestore.restore(single(data), file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(data + " is not empty")
        .hasMessageNotContaining("\n");
    ConfigSet ofMember = quorum.configurations().get(0);
    assertThatThrownBy(() -> StateRestore.restore(ofMember, file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("quorum is not empty");
    ConfigSet withoutDirectory = ConfigSet.of(CoordinatorConfig.SCHEMA, Map.of());
    assertThatThrownBy(() -> StateRestore.restore(withoutDirectory, file))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("rss.coordinator.data.dir is not set");
  }
}
