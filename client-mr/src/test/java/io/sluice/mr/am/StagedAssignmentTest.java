package io.sluice.mr.am;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.common.error.SluiceException;
import io.sluice.mr.Assignments;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StagedAssignmentTest {
  @TempDir Path directory;

  private StagedAssignment staged() throws IOException {
    return new StagedAssignment(
        new Configuration(), new org.apache.hadoop.fs.Path(directory.toUri()));
  }

  @Test
  void isFoundByTheNextApplicationMaster() throws IOException {
    assertThat(staged().read()).isEmpty();

    ShuffleAssignment first = Assignments.of(3, 9);
    staged().write(first);
    assertThat(staged().read()).contains(first);

    ShuffleAssignment second = first.replaceFailed("server-0", Assignments.server(7));
    staged().write(second);
    assertThat(staged().read()).contains(second);
  }

  @Test
  void refusesADamagedFile() throws IOException {
    Files.write(directory.resolve("sluice.assignment"), new byte[] {9, 9});
    assertThatThrownBy(() -> staged().read()).isInstanceOf(SluiceException.class);
  }
}
