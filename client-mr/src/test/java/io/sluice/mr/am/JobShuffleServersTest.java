package io.sluice.mr.am;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.mr.AssignmentVariable;
import io.sluice.mr.Assignments;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.ShuffleMove;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A registered job whose servers fail. */
@Timeout(120)
class JobShuffleServersTest {
  private static final String APPLICATION = "application_1_0001";

  @TempDir Path directory;

  private final Configuration conf = new Configuration();
  private final JobShuffle shuffle = new JobShuffle(APPLICATION);
  private CoordinatorInTest coordinator;

  @BeforeEach
  void job() throws IOException {
    coordinator = new CoordinatorInTest();
    conf.set(MRJobConfig.MAPREDUCE_JOB_DIR, directory.toUri().toString());
    conf.setInt(MRJobConfig.NUM_REDUCES, 9);
    conf.set("mapreduce.rss.coordinator.quorum", coordinator.quorum());
  }

  @AfterEach
  void close() throws InterruptedException {
    shuffle.close(true);
    coordinator.close();
  }

  private ShuffleAssignment replace(String server) {
    return shuffle.replaceNow(server).orElseThrow();
  }

  @Test
  void requestsAReplacementServerAndPersistsTheAssignment() throws Exception {
    coordinator.spare.add(Assignments.server(7));
    shuffle.start(conf, true);
    assertThat(shuffle.assignment().orElseThrow().generation()).isZero();
    assertThat(shuffle.unreportedAssignment()).isEmpty();

    ShuffleAssignment second = replace("server-0");

    assertThat(second.generation()).isEqualTo(1);
    assertThat(second.serversOf(0)).containsExactly(Assignments.server(7));
    assertThat(replace("server-0")).as("second request").isEqualTo(second);
    assertThat(shuffle.assignment()).contains(second);
    assertThat(shuffle.unreportedAssignment()).contains(second);
    assertThat(shuffle.unreportedAssignment()).isEmpty();

    shuffle.close(false);
    assertThat(coordinator.unregistered).isEmpty();
    JobShuffle next = new JobShuffle(APPLICATION);
    next.start(conf, false);
    assertThat(next.assignment()).contains(second);
    assertThat(next.unreportedAssignment()).contains(second);
    next.close(true);
    assertThat(coordinator.unregistered).containsExactly(APPLICATION);
  }

  @Test
  void anAssignedServerIsTheReplacementIfThereIsNoOther() {
    shuffle.start(conf, true);
    assertThat(replace("server-0").serversOf(0)).hasSize(1).doesNotContain(Assignments.server(0));
  }

  @Test
  void aServerWithReplicasOfSomePartitionsReplacesTheOthers() {
    conf.set("mapreduce.rss.data.replica", "2");
    shuffle.start(conf, true);

    ShuffleAssignment after = replace("server-0");

    assertThat(after.generation()).isEqualTo(1);
    for (int partition = 0; partition < 9; partition++) {
      assertThat(after.serversOf(partition))
          .extracting(ServerId::getName)
          .doesNotContain("server-0");
    }
  }

  @Test
  void usesAndPersistsTheTargetOfAMove() throws Exception {
    ShuffleMove move =
        ShuffleMove.newBuilder()
            .setShuffle(
                ShuffleId.newBuilder()
                    .setApplication(APPLICATION)
                    .setShuffle(AssignmentVariable.SHUFFLE))
            .setFrom("server-0")
            .setTo(Assignments.server(7))
            .build();
    coordinator.leaseMs = 300;
    coordinator.moves.add(move);
    shuffle.start(conf, true);

    assertThat(coordinator.applied.poll(60, TimeUnit.SECONDS)).isEqualTo(move);

    ShuffleAssignment after = shuffle.assignment().orElseThrow();
    assertThat(after.generation()).isEqualTo(1);
    assertThat(after.serversOf(0)).containsExactly(Assignments.server(7));
    assertThat(shuffle.unreportedAssignment()).contains(after);

    shuffle.close(false);
    JobShuffle next = new JobShuffle(APPLICATION);
    next.start(conf, false);
    assertThat(next.assignment()).contains(after);
    next.close(true);
  }
}
