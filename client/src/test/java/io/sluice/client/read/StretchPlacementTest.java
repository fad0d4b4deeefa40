package io.sluice.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.read.PartitionVisit.Stretch;
import io.sluice.proto.LocatedStretch;
import io.sluice.proto.LostStretch;
import io.sluice.proto.OpenReply;
import io.sluice.proto.PartitionState;
import io.sluice.proto.RunFileKind;
import io.sluice.proto.RunFileLocation;
import java.util.List;
import org.junit.jupiter.api.Test;

class StretchPlacementTest {
  private static final int BIG = 1 << 20;

  private final PartitionState.Builder state = PartitionState.newBuilder();

  private void located(long offset, long length, int file, long fileOffset) {
    state.addLocated(
        LocatedStretch.newBuilder()
            .setOffset(offset)
            .setLength(length)
            .setFile(file)
            .setFileOffset(fileOffset));
  }

  private void lost(long offset, long length) {
    state.addLost(LostStretch.newBuilder().setOffset(offset).setLength(length));
  }

  private List<String> locate(long offset, long length) {
    OpenReply.Builder reply = OpenReply.newBuilder().addPartitions(state);
    for (String name : List.of("a", "b", "unreadable")) {
      reply.addFiles(RunFileLocation.newBuilder().setKind(RunFileKind.LOCAL_FILE).setName(name));
    }
    StretchPlacement placement =
        new StretchPlacement(reply.build(), file -> !file.name().equals("unreadable"));
    return placement
        .locate(reply.getPartitions(0), List.of(new Stretch(offset, length, null)))
        .stream()
        .map(StretchPlacementTest::text)
        .toList();
  }

  private static String text(Stretch stretch) {
    return stretch.offset()
        + "+"
        + stretch.length()
        + (stretch.position() == null
            ? ""
            : " in "
                + stretch.position().file().file().name()
                + " at "
                + stretch.position().offset());
  }

  @Test
  void separatesStretchesInFilesFromFetchedOnes() {
    located(100, BIG, 0, 5_000);
    located(100 + BIG, BIG, 1, 7);
    located(100 + 2 * BIG, BIG, 2, 9);
    assertThat(locate(0, 200 + 3L * BIG))
        .containsExactly(
            "0+100",
            "100+" + BIG + " in a at 5000",
            (100 + BIG) + "+" + BIG + " in b at 7",
            (100 + 2 * BIG) + "+" + (BIG + 100));
  }

  @Test
  void beginsInTheMiddleOfAFileAndJoinsNeighbours() {
    located(0, BIG, 0, 1_000);
    located(BIG, BIG, 0, 1_000 + BIG);
    assertThat(locate(500, 2L * BIG - 600))
        .containsExactly("500+" + (2 * BIG - 600) + " in a at 1500");
  }

  @Test
  void opensNoFileForAFewBytes() {
    located(0, 1_000, 0, 10);
    located(1_000, BIG, 1, 10);
    assertThat(locate(0, 1_000 + BIG)).containsExactly("0+1000", "1000+" + BIG + " in b at 10");
  }

  @Test
  void removesLostStretches() {
    lost(10, 20);
    lost(50, 50);
    located(0, BIG, 0, 0);
    assertThat(locate(0, 100)).containsExactly("0+10 in a at 0", "30+20 in a at 30");
    assertThat(locate(55, 5)).isEmpty();
  }

  @Test
  void ignoresFilesThatAreNotInTheReply() {
    located(0, BIG, 17, 0);
    located(0, BIG, -1, 0);
    assertThat(locate(0, 100)).containsExactly("0+100");
  }
}
