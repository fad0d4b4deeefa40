package io.sluice.spark.assignment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.push.ReplacementServers.Cause;
import io.sluice.common.error.SluiceException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class AssignmentRequestTest {
  private static final List<AssignmentRequest> REQUESTS =
      List.of(
          AssignmentRequest.newest(7),
          new AssignmentRequest(0, "host-1:19999", Cause.FAILED, List.of()),
          new AssignmentRequest(1 << 20, "größe", Cause.FULL, List.of(0, 5, 1 << 24)));

  @Test
  void isTheSameAfterEncodingAndDecoding() throws SluiceException {
    for (AssignmentRequest question : REQUESTS) {
      assertThat(AssignmentRequest.fromBytes(question.toBytes())).isEqualTo(question);
    }
  }

  @Test
  void refusesATruncatedRequest() {
    for (AssignmentRequest question : REQUESTS) {
      byte[] bytes = question.toBytes();
      for (int length = 0; length < bytes.length; length++) {
        byte[] cut = Arrays.copyOf(bytes, length);
        assertThatThrownBy(() -> AssignmentRequest.fromBytes(cut))
            .isInstanceOf(SluiceException.class);
      }
    }
  }

  @Test
  void refusesAnotherVersionAndAnUnknownCause() {
    byte[] bytes = REQUESTS.get(1).toBytes();
    bytes[0] = 9;
    assertThatThrownBy(() -> AssignmentRequest.fromBytes(bytes))
        .hasMessageContaining("expected version 1, found 9");
    bytes[0] = 1;
    bytes[5] = 3;
    assertThatThrownBy(() -> AssignmentRequest.fromBytes(bytes)).hasMessageContaining("found 3");
  }
}
