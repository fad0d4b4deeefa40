package io.sluice.spark.assignment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.push.FurtherServers.Cause;
import io.sluice.common.error.SluiceException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class AssignmentQuestionTest {
  private static final List<AssignmentQuestion> QUESTIONS =
      List.of(
          AssignmentQuestion.newest(7),
          new AssignmentQuestion(0, "host-1:19999", Cause.FAILED, List.of()),
          new AssignmentQuestion(1 << 20, "größe", Cause.FULL, List.of(0, 5, 1 << 24)));

  @Test
  void comesOutAsItWentIn() throws SluiceException {
    for (AssignmentQuestion question : QUESTIONS) {
      assertThat(AssignmentQuestion.fromBytes(question.toBytes())).isEqualTo(question);
    }
  }

  @Test
  void refusesWhatIsCutShort() {
    for (AssignmentQuestion question : QUESTIONS) {
      byte[] bytes = question.toBytes();
      for (int length = 0; length < bytes.length; length++) {
        byte[] cut = Arrays.copyOf(bytes, length);
        assertThatThrownBy(() -> AssignmentQuestion.fromBytes(cut))
            .isInstanceOf(SluiceException.class);
      }
    }
  }

  @Test
  void refusesAnotherVersionAndAnUnknownCause() {
    byte[] bytes = QUESTIONS.get(1).toBytes();
    bytes[0] = 9;
    assertThatThrownBy(() -> AssignmentQuestion.fromBytes(bytes))
        .hasMessageContaining("expected version 1, found 9");
    bytes[0] = 1;
    bytes[5] = 3;
    assertThatThrownBy(() -> AssignmentQuestion.fromBytes(bytes)).hasMessageContaining("found 3");
  }
}
