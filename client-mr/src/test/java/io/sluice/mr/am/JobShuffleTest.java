package io.sluice.mr.am;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.SluiceClient;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.mr.Assignments;
import io.sluice.mr.JobCredentials;
import io.sluice.mr.JobSettings;
import io.sluice.mr.LoggedMessages;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.security.Credentials;
import org.apache.log4j.Level;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Jobs that fall back to Hadoop's built-in shuffle; integration tests cover registered jobs. */
@Timeout(120)
class JobShuffleTest {
  @TempDir Path directory;
  @TempDir Path secrets;

  private final Configuration conf = new Configuration();
  private final JobShuffle shuffle = new JobShuffle("application_1_0001");

  @BeforeEach
  void job() {
    URI staging = directory.toUri();
    conf.set(MRJobConfig.MAPREDUCE_JOB_DIR, staging.toString());
    conf.setInt(MRJobConfig.NUM_REDUCES, 3);
    // No process listens on this port.
    conf.set("mapreduce.rss.coordinator.quorum", "127.0.0.1:1");
    conf.set("mapreduce.rss.access.timeout.ms", "200");
  }

  private void assertFallsBack() {
    shuffle.start(conf, true);
    assertThat(shuffle.assignment()).isEmpty();
    assertThat(directory).isEmptyDirectory();
    shuffle.replace("server-1");
    assertThat(shuffle.unreportedAssignment()).isEmpty();
    shuffle.close(true);
    shuffle.close(true);
  }

  @Test
  void fallsBackIfNoCoordinatorAnswers() {
    assertFallsBack();
  }

  private static List<String> warnings(LoggedMessages.Action action) throws Exception {
    return LoggedMessages.of(JobShuffle.class, Level.WARN, action);
  }

  private CoordinatorInTest coordinator() throws IOException {
    CoordinatorInTest coordinator = new CoordinatorInTest();
    conf.set("mapreduce.rss.coordinator.quorum", coordinator.quorum());
    conf.set("mapreduce.rss.access.timeout.ms", "20s");
    return coordinator;
  }

  @Test
  void fallsBackIfTheUserIsDeniedWithOneWarningThatNamesTheReason() throws Exception {
    try (CoordinatorInTest coordinator = coordinator()) {
      coordinator.denial = "user bob is denied: ask the operator";

      assertThat(warnings(this::assertFallsBack))
          .singleElement()
          .asString()
          .endsWith("reason=\"DENIED: user bob is denied: ask the operator\"");
    }
  }

  private void haveSecret() throws IOException {
    Path secret = Files.writeString(secrets.resolve("alice"), "0123456789abcdef0123456789abcdef");
    conf.set("mapreduce.rss.security.user", "alice");
    conf.set("mapreduce.rss.security.user.secret.file", secret.toString());
  }

  @Test
  void fallsBackIfAJobHasASecretAndTheCoordinatorRequiresNone() throws Exception {
    haveSecret();
    try (CoordinatorInTest coordinator = coordinator()) {
      assertThat(warnings(this::assertFallsBack))
          .singleElement()
          .asString()
          .contains("reason=\"DENIED: coordinator " + coordinator.quorum())
          .contains("did not prove that it belongs to this cluster");
    }
  }

  @Test
  void tasksOfARestartedMasterNeedACredentialToConnect() throws Exception {
    haveSecret();
    ShuffleAssignment before = Assignments.of(3, 9);
    new StagedAssignment(conf, new org.apache.hadoop.fs.Path(directory.toUri())).write(before);
    try (CoordinatorInTest coordinator = coordinator()) {
      shuffle.start(conf, false);
      assertThat(shuffle.assignment()).contains(before);
      Credentials ofTask = new Credentials();
      ByteBuffer tokens = JobCredentials.forTask(null, shuffle.credentials());
      ofTask.readTokenStorageStream(
          new DataInputStream(
              new ByteArrayInputStream(tokens.array(), tokens.arrayOffset(), tokens.remaining())));
      try (SluiceClient task =
          SluiceClient.start(JobSettings.of(conf).client(), "alice~application_1_0001", "task")) {
        JobCredentials.passToClient(task, ofTask);

        assertThatThrownBy(task.credentials()::forConnection)
            .hasMessageContaining("cannot connect without a token");
      }
    } finally {
      shuffle.close(true);
    }
  }

  @Test
  void fallsBackWithoutACoordinator() {
    conf.unset("mapreduce.rss.coordinator.quorum");
    assertFallsBack();
  }

  @Test
  void hasNoShuffleWithoutReducers() {
    conf.setInt(MRJobConfig.NUM_REDUCES, 0);
    assertFallsBack();
  }

  @Test
  void fallsBackWithInvalidSettings() {
    conf.set("mapreduce.rss.data.replica", "many");
    assertFallsBack();
  }

  @Test
  void fallsBackIfOutputMustBeEncrypted() {
    conf.setBoolean(MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA, true);
    assertFallsBack();
  }

  @Test
  void fallsBackWithoutAStagingDirectory() {
    conf.unset(MRJobConfig.MAPREDUCE_JOB_DIR);
    assertFallsBack();
  }
}
