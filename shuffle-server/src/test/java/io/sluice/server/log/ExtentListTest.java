package io.sluice.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ExtentListTest {
  private static final String MEMORY = "memory";
  private static final String LOST = "lost";

  private final ExtentList extents = new ExtentList();
  private final FakeRun run = new FakeRun(new byte[0]);
  private final FakeRun other = new FakeRun(new byte[0]);

  /** Where each byte of the partition is, by logical offset. */
  private final List<String> expected = new ArrayList<>();

  private void appendFile(FakeRun file, long fileOffset, int length) {
    extents.append(new Extent.InFile(file, fileOffset, length, expected.size()));
    for (int i = 0; i < length; i++) {
      expected.add(at(file, fileOffset + i));
    }
  }

  private void appendMemory(int length) {
    extents.append(inMemory(expected.size(), length));
    for (int i = 0; i < length; i++) {
      expected.add(MEMORY);
    }
  }

  private static Extent.InMemory inMemory(long start, int length) {
    return new Extent.InMemory(null, null, 0, length, start);
  }

  private String at(StoredRun file, long fileOffset) {
    return (file == run ? "run " : "other ") + fileOffset;
  }

  private void assertAllBytes() {
    List<String> found = new ArrayList<>();
    for (int i = 0; i < extents.count(); i++) {
      Extent extent = extents.get(i);
      assertThat(extent.start).isEqualTo(found.size()).isEqualTo(extents.start(i));
      assertThat(extent.length).isPositive();
      assertThat(extents.end(i)).isEqualTo(extent.end());
      assertThat(extents.isInMemory(i)).isEqualTo(extent instanceof Extent.InMemory);
      assertThat(extents.isLost(i)).isEqualTo(extent instanceof Extent.Lost);
      for (int at = 0; at < extent.length; at++) {
        assertThat(extents.find(found.size())).isEqualTo(i);
        found.add(
            extent instanceof Extent.InFile file
                ? at(file.run, file.fileOffset + at)
                : extent instanceof Extent.InMemory ? MEMORY : LOST);
      }
    }
    assertThat(found).isEqualTo(expected);
    assertThat(extents.length()).isEqualTo(expected.size());
  }

  private int notInMemory() {
    int sum = 0;
    for (int i = 0; i < extents.count(); i++) {
      sum += extents.isInMemory(i) ? 0 : 1;
    }
    return sum;
  }

  @Test
  void splitsAnExtentAroundLostBytes() {
    appendMemory(3);
    appendFile(run, 100, 10);
    appendFile(other, 100, 10);

    assertThat(extents.lose(run, 104, 3)).isTrue();

    assertThat(extents.count()).isEqualTo(5);
    for (int at = 7; at < 10; at++) {
      expected.set(at, LOST);
    }
    assertAllBytes();
    assertThat(extents.lose(run, 104, 3)).as("the same bytes again").isFalse();
    assertThat(extents.lose(run, 110, 5)).as("behind the extent").isFalse();
    assertThat(extents.lose(run, 90, 10)).as("before the extent").isFalse();
    assertThat(extents.count()).isEqualTo(5);
  }

  @Test
  void refusesAReplacementThatIsNoWholeExtents() {
    appendMemory(5);
    appendMemory(5);
    for (int[] range : new int[][] {{1, 9}, {0, 9}, {1, 4}, {4, 2}}) {
      assertThatThrownBy(() -> extents.replace(new Extent.InFile(run, 0, range[1], range[0])))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("no extents from offset " + range[0]);
    }
    assertAllBytes();
    assertThat(extents.replace(new Extent.InFile(run, 0, 10, 0))).isEqualTo(1);
    assertThat(extents.count()).isEqualTo(1);
  }

  @Test
  void keepsTheLocationOfEachByteInRandomChanges() {
    for (int seed = 0; seed < 100; seed++) {
      new ExtentListTest().change(new Random(seed));
    }
  }

  private void change(Random random) {
    long nextFileOffset = 0;
    for (int step = 0; step < 60; step++) {
      switch (random.nextInt(6)) {
        case 0, 1 -> appendMemory(1 + random.nextInt(6));
        case 2 -> {
          int length = 1 + random.nextInt(6);
          appendFile(random.nextBoolean() ? run : other, nextFileOffset, length);
          nextFileOffset += length + random.nextInt(3);
        }
        case 3 -> {
          if (extents.count() > 0) {
            replaceSome(random, nextFileOffset);
            nextFileOffset += expected.size();
          }
        }
        default -> loseSome(random, nextFileOffset);
      }
      assertAllBytes();
    }
    loseAll(random.nextBoolean() ? run : other);
    assertAllBytes();
  }

  private void replaceSome(Random random, long fileOffset) {
    int first = random.nextInt(extents.count());
    int last = first + random.nextInt(extents.count() - first);
    long start = extents.start(first);
    int length = (int) (extents.end(last) - start);
    boolean toFile = random.nextInt(4) > 0;
    int before = notInMemory();
    int change =
        extents.replace(
            toFile ? new Extent.InFile(run, fileOffset, length, start) : inMemory(start, length));
    assertThat(notInMemory()).isEqualTo(before + change);
    for (int i = 0; i < length; i++) {
      expected.set((int) start + i, toFile ? at(run, fileOffset + i) : MEMORY);
    }
  }

  private void loseSome(Random random, long maxFileOffset) {
    long from = random.nextInt((int) maxFileOffset + 1);
    int bytes = 1 + random.nextInt(8);
    boolean any = false;
    for (long at = from; at < from + bytes; at++) {
      int index = expected.indexOf(at(run, at));
      if (index >= 0) {
        expected.set(index, LOST);
        any = true;
      }
    }
    assertThat(extents.lose(run, from, bytes)).isEqualTo(any);
  }

  private void loseAll(FakeRun lost) {
    String prefix = lost == run ? "run " : "other ";
    boolean any = expected.stream().anyMatch(each -> each.startsWith(prefix));
    expected.replaceAll(each -> each.startsWith(prefix) ? LOST : each);
    assertThat(extents.lose(Set.of(lost))).isEqualTo(any);
    assertThat(extents.lose(Set.of(lost))).isFalse();
  }
}
