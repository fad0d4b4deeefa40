package io.sluice.demo.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class WorkloadTest {
  @Test
  void namesAllQueries() {
    assertThat(Workload.TPCH.queries()).hasSize(22).startsWith("1", "2").endsWith("22");
    assertThat(Workload.TPCDS.queries())
        .hasSize(103)
        .containsSubsequence("13", "14a", "14b", "15", "23a", "23b", "24a", "24b", "39a", "39b")
        .doesNotContain("14")
        .endsWith("99");
  }

  @Test
  void parsesListsOfQueries() {
    assertThat(Workload.TPCH.select("5, 1-3,2,22")).containsExactly("1", "2", "3", "5", "22");
    assertThat(Workload.TPCDS.select("23b,13 - 14,39,1"))
        .containsExactly("1", "13", "14a", "14b", "23b", "39a", "39b");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1,", "0", "3-1", "1-2-3", "x", "-", "99999999999", "14a"})
  void refusesInvalidListsOfQueries(String list) {
    assertThatThrownBy(() -> Workload.TPCH.select(list))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(list + ": expected numbers from 1 to 22, such as 1,3,5-7");
  }

  @ParameterizedTest
  @EnumSource
  void isFoundByItsText(Workload workload) {
    assertThat(Workload.of(workload.toString())).isEqualTo(workload);
  }
}
