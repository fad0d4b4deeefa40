package io.sluice.mr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.SluiceException;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class OutputAddressTest {
  private static final String NODE = "http://node-1.example:13562";

  @ParameterizedTest
  @EnumSource(OutputLocation.class)
  void isTheSameAfterEncodingAndDecoding(OutputLocation location) throws SluiceException {
    OutputAddress address = new OutputAddress(NODE, location, Optional.empty());
    assertThat(OutputAddress.parse(address.text())).isEqualTo(address);
  }

  @Test
  void carriesANewGeneration() throws SluiceException {
    OutputAddress address =
        new OutputAddress(NODE, OutputLocation.SERVERS, Optional.of(Assignments.of(3, 10)));
    assertThat(OutputAddress.parse(address.text())).isEqualTo(address);
  }

  @Test
  void isANodeManagerWithoutMark() throws SluiceException {
    OutputAddress address = new OutputAddress(NODE, OutputLocation.NODE_MANAGER, Optional.empty());
    assertThat(address.text()).isEqualTo(NODE);
    assertThat(OutputAddress.parse("").location()).isEqualTo(OutputLocation.NODE_MANAGER);
  }

  @Test
  void refusesMarksOfOtherVersions() {
    assertThatThrownBy(() -> OutputAddress.parse(NODE + "#sluice=elsewhere"))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("#sluice=elsewhere");
  }

  @Test
  void locationFollowsFromCounters() {
    assertThat(OutputLocation.of(false, false)).isEqualTo(OutputLocation.NODE_MANAGER);
    assertThat(OutputLocation.of(false, true)).isEqualTo(OutputLocation.NODE_MANAGER);
    assertThat(OutputLocation.of(true, false)).isEqualTo(OutputLocation.SERVERS);
    assertThat(OutputLocation.of(true, true)).isEqualTo(OutputLocation.SERVERS_AND_NODE_MANAGER);
  }
}
