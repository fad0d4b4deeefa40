package io.sluice.coordinator.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class InMemoryMetadataLogTest extends MetadataLogContract {
  private final InMemoryMetadataLog log = InMemoryMetadataLog.keeping();

  @Override
  MetadataLog open() {
    return log;
  }

  @Test
  void aDroppingLogIsAlwaysEmpty() {
    InMemoryMetadataLog dropping = InMemoryMetadataLog.dropping();
    dropping.append(records("a"));
    dropping.replace(records("b"));
    dropping.append(records("c"));

    assertThat(dropping.read().snapshot()).isEmpty();
    assertThat(dropping.read().records()).isEmpty();
    assertThat(dropping.recordBytes()).isZero();
  }
}
