package io.sluice.coordinator.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.proto.LoggedEvent;
import io.sluice.proto.LoggedRecord;
import io.sluice.proto.LoggedSamples;
import io.sluice.proto.LoggedThroughput;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RecordFormatTest {
  private static byte[] golden() throws IOException {
    try (InputStream golden =
        RecordFormatTest.class.getResourceAsStream("/golden/logged-records-v1.bin")) {
      return golden.readAllBytes();
    }
  }

  /** Each record behind its length, 4 bytes big-endian. */
  @Test
  void writesTheGoldenFile() throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(all);
    for (LoggedChange change : Changes.ofEachKind()) {
      byte[] record = RecordFormat.encode(change);
      out.writeInt(record.length);
      out.write(record);
    }
    assertThat(all.toByteArray()).isEqualTo(golden());
  }

  @Test
  void readsTheGoldenFile() throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(golden()));
    for (LoggedChange change : Changes.ofEachKind()) {
      assertThat(RecordFormat.decode(in.readNBytes(in.readInt()))).isEqualTo(change);
    }
    assertThat(in.read()).isNegative();
  }

  @Test
  void everyKindOfChangeIsInTheGoldenFile() {
    Set<Class<?>> written =
        Changes.ofEachKind().stream().map(Object::getClass).collect(Collectors.toSet());

    assertThat(written).containsExactlyInAnyOrderElementsOf(kinds(LoggedChange.class).toList());
  }

  private static Stream<Class<?>> kinds(Class<?> type) {
    return type.isSealed()
        ? Stream.of(type.getPermittedSubclasses()).flatMap(RecordFormatTest::kinds)
        : Stream.of(type);
  }

  @Test
  void refusesRecordsOfANewerVersion() {
    assertThatThrownBy(() -> RecordFormat.decode(new byte[0]))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("a type unknown to this version");
    byte[] event =
        LoggedRecord.newBuilder()
            .setEvent(LoggedEvent.newBuilder().setKind("SERVER_EXPLODED"))
            .build()
            .toByteArray();
    assertThatThrownBy(() -> RecordFormat.decode(event))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("SERVER_EXPLODED");
  }

  @Test
  void refusesInvalidRecords() {
    assertThatThrownBy(() -> RecordFormat.decode(new byte[] {(byte) 0xff}))
        .isInstanceOf(IOException.class);
    byte[] uneven =
        LoggedRecord.newBuilder()
            .setThroughput(
                LoggedThroughput.newBuilder().setCluster(LoggedSamples.newBuilder().addTimesMs(1)))
            .build()
            .toByteArray();
    assertThatThrownBy(() -> RecordFormat.decode(uneven))
        .hasMessageContaining("columns of different lengths");
  }
}
