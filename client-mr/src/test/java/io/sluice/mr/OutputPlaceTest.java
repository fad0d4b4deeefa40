package io.sluice.mr;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class OutputPlaceTest {
  private static final String ADDRESS = "http://node-1.example:13562";

  @ParameterizedTest
  @EnumSource(OutputPlace.class)
  void isFoundAgainInAnAddress(OutputPlace place) {
    String marked = place.mark(ADDRESS);

    assertThat(OutputPlace.in(marked)).isEqualTo(place);
    assertThat(OutputPlace.unmarked(marked)).isEqualTo(ADDRESS);
    assertThat(place.mark(marked)).as("marked twice").isEqualTo(marked);
  }

  @Test
  void followsFromWhatAnAttemptHasDone() {
    assertThat(OutputPlace.of(false, false)).isEqualTo(OutputPlace.NODE_MANAGER);
    assertThat(OutputPlace.of(false, true)).isEqualTo(OutputPlace.NODE_MANAGER);
    assertThat(OutputPlace.of(true, false)).isEqualTo(OutputPlace.SERVERS);
    assertThat(OutputPlace.of(true, true)).isEqualTo(OutputPlace.SERVERS_AND_NODE_MANAGER);
    assertThat(OutputPlace.NODE_MANAGER.mark(ADDRESS)).isEqualTo(ADDRESS);
  }
}
