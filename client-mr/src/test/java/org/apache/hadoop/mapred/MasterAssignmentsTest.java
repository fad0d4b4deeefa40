package org.apache.hadoop.mapred;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.push.ReplacementServers.Cause;
import io.sluice.mr.Assignments;
import io.sluice.mr.CompletionEventsRequest;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MasterAssignmentsTest {
  private static final TaskAttemptID MAP = TaskAttemptID.forName("attempt_1_0001_m_000004_0");

  private final List<CompletionEventsRequest> asked = new ArrayList<>();
  private ShuffleAssignment first;
  private ShuffleAssignment newest;
  private MasterAssignments master;

  @BeforeEach
  void open() throws IOException {
    first = Assignments.of(3, 9);
    newest = first;
    master =
        new MasterAssignments(
            (job, from, most, asking) -> {
              assertThat(job).isEqualTo(MAP.getJobID());
              if (newest == null) {
                throw new IOException("it has gone");
              }
              CompletionEventsRequest question = CompletionEventsRequest.of(from, most);
              asked.add(question);
              return overTheWire(question.answer(asking, newest));
            },
            MAP);
  }

  private static MapTaskCompletionEventsUpdate overTheWire(MapTaskCompletionEventsUpdate sent)
      throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    sent.write(new DataOutputStream(bytes));
    MapTaskCompletionEventsUpdate received = new MapTaskCompletionEventsUpdate();
    received.readFields(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
    return received;
  }

  @AfterEach
  void close() {
    master.close();
  }

  private ShuffleAssignment replace(String server, Cause cause) throws Exception {
    return master
        .replace(first, server, cause, List.of())
        .toCompletableFuture()
        .get(60, TimeUnit.SECONDS);
  }

  @Test
  void startsWithTheNewestAssignment() {
    assertThat(master.newest(first)).isSameAs(first);
    newest = first.replaceFailed("server-1", Assignments.server(7));
    assertThat(master.newest(first)).isEqualTo(newest);
    assertThat(asked).containsOnly(new CompletionEventsRequest(0, CompletionEventsRequest.NONE));
  }

  @Test
  void asksForAReplacementServer() throws Exception {
    newest = first.replaceFailed("server-1", Assignments.server(7));
    assertThat(replace("server-1", Cause.FAILED)).isEqualTo(newest);
    assertThat(asked).containsExactly(new CompletionEventsRequest(0, 1));
  }

  @Test
  void continuesWithTheKnownAssignmentWithoutAnAnswer() throws Exception {
    newest = null;
    assertThat(master.newest(first)).isSameAs(first);
    assertThat(replace("server-1", Cause.FAILED)).isSameAs(first);
    master.close();
    assertThat(replace("server-1", Cause.FAILED)).isSameAs(first);
  }

  @Test
  void keepsTheServersOfFullPartitions() throws Exception {
    assertThat(replace("server-1", Cause.FULL)).isSameAs(first);
    assertThat(asked).isEmpty();
  }
}
