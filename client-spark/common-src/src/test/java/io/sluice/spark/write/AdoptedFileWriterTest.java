package io.sluice.spark.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.spark.TestTask;
import io.sluice.spark.engine.FrameFormat;
import io.sluice.spark.local.LocalMapFiles;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.shuffle.ShuffleWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.Option;
import scala.Product2;
import scala.collection.Iterator;
import scala.collection.Iterator$;

/** Goal: the whole file of the engine is pushed, and no file is left, also after failures. */
class AdoptedFileWriterTest {
  private static final int SHUFFLE = 3;
  private static final long MAP = 17;
  private static final int PARTITIONS = 3;

  @TempDir private Path directory;

  private final CollectedOutput output = new CollectedOutput();
  private final TaskContextImpl task = TestTask.withMemory(16 << 20);
  private final List<Boolean> stops = new ArrayList<>();

  /** A frame is one byte with its length, then as many bytes. */
  private static final FrameFormat FRAMES =
      new FrameFormat() {
        @Override
        public int headerBytes() {
          return 1;
        }

        @Override
        public long frameBytes(ByteBuffer header) {
          return header.get(0);
        }

        @Override
        public InputStream open(InputStream stored) {
          return stored;
        }
      };

  /** Files with Spark's names in one directory. */
  private final class Resolver extends IndexShuffleBlockResolver {
    Resolver() {
      super(new SparkConf(false), null, new HashMap<>());
    }

    @Override
    public File getDataFile(int shuffle, long map) {
      return directory.resolve("shuffle_" + shuffle + "_" + map + "_0.data").toFile();
    }

    @Override
    public File getIndexFile(int shuffle, long map, Option<String[]> directories) {
      return directory.resolve("shuffle_" + shuffle + "_" + map + "_0.index").toFile();
    }

    @Override
    public File createTempFile(File file) {
      return new File(file + ".1");
    }

    @Override
    public void removeDataByMap(int shuffle, long map) {
      try {
        Files.deleteIfExists(getDataFile(shuffle, map).toPath());
        Files.deleteIfExists(getIndexFile(shuffle, map, Option.empty()).toPath());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private final Resolver resolver = new Resolver();

  /** Writes a file with the given lengths of partitions, of frames with 4 bytes. */
  private class Engine extends ShuffleWriter<Object, Object> {
    private final long[] lengths;
    private final RuntimeException failure;

    Engine(RuntimeException failure, long... lengths) {
      this.lengths = lengths;
      this.failure = failure;
    }

    @Override
    public void write(Iterator<Product2<Object, Object>> records) throws IOException {
      ByteBuffer index = ByteBuffer.allocate((lengths.length + 1) * Long.BYTES).putLong(0);
      long end = 0;
      for (long length : lengths) {
        end += length;
        index.putLong(end);
      }
      byte[] data = new byte[(int) end];
      for (int i = 0; i < data.length; i++) {
        data[i] = (byte) (i % 4 == 0 ? 4 : i);
      }
      Files.write(resolver.getDataFile(SHUFFLE, MAP).toPath(), data);
      Files.write(resolver.getIndexFile(SHUFFLE, MAP, Option.empty()).toPath(), index.array());
      if (failure != null) {
        throw failure;
      }
    }

    @Override
    public Option<MapStatus> stop(boolean success) {
      stops.add(success);
      return Option.empty();
    }

    @Override
    public long[] getPartitionLengths() {
      return lengths.clone();
    }
  }

  private AdoptedFileWriter<Object, Object> writer(Engine engine) {
    return new AdoptedFileWriter<>(
        engine, FRAMES, new LocalMapFiles(resolver), SHUFFLE, PARTITIONS, task, MAP, output, 16);
  }

  @SuppressWarnings("unchecked") // An empty iterator has elements of any type.
  private static Iterator<Product2<Object, Object>> noRecords() {
    return (Iterator<Product2<Object, Object>>) (Iterator<?>) Iterator$.MODULE$.empty();
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    }
  }

  private long bytesOf(int partition) {
    return output.blocks.getOrDefault(partition, List.of()).stream()
        .mapToLong(block -> block.bytes().length)
        .sum();
  }

  @Test
  void pushesTheFileAndDeletesIt() throws IOException {
    AdoptedFileWriter<Object, Object> writer = writer(new Engine(null, 40, 0, 8));
    writer.write(noRecords());

    assertThat(output.finished).isTrue();
    assertThat(bytesOf(0)).isEqualTo(40);
    assertThat(bytesOf(1)).isZero();
    assertThat(bytesOf(2)).isEqualTo(8);
    assertThat(output.order).isSorted();
    assertThat(output.blocks.get(0)).hasSize(3);
    assertThat(files()).isEmpty();
    assertThat(writer.stop(true).isDefined()).isTrue();
    assertThat(stops).containsExactly(true);
    assertThat(output.closed).isTrue();
  }

  @Test
  void ignoresEmptyPartitionsThatTheShuffleDoesNotHave() throws IOException {
    writer(new Engine(null, 8, 8, 8, 0, 0)).write(noRecords());

    assertThat(output.order).containsExactly(0, 1, 2);
    assertThat(files()).isEmpty();
  }

  @Test
  void failsForDataThatWouldBeLost() throws IOException {
    AdoptedFileWriter<Object, Object> more = writer(new Engine(null, 8, 8, 8, 0, 4));
    assertThatThrownBy(() -> more.write(noRecords()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("partition=4");
    more.stop(false);
    assertThat(files()).isEmpty();

    AdoptedFileWriter<Object, Object> torn = writer(new Engine(null, 8, 7, 9));
    assertThatThrownBy(() -> torn.write(noRecords()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("shuffle=3 attempt=17")
        .hasMessageContaining("truncated");
    torn.stop(false);
    assertThat(files()).isEmpty();
    assertThat(output.finished).isFalse();
  }

  @Test
  void leavesNoFileOfAFailedEngine() throws IOException {
    AdoptedFileWriter<Object, Object> writer =
        writer(new Engine(new IllegalStateException("native"), 4, 4, 4));

    assertThatThrownBy(() -> writer.write(noRecords())).hasMessage("native");
    assertThat(writer.stop(false).isEmpty()).isTrue();

    assertThat(stops).containsExactly(false);
    assertThat(files()).isEmpty();
    assertThat(output.blocks).isEmpty();
    assertThat(output.finished).isFalse();
    assertThat(output.closed).isTrue();
  }

  /** A native writer leaves its files if the disk is full; nothing else deletes them. */
  @Test
  void deletesFilesThatAFailedEngineDidNotCommit() throws IOException {
    Engine engine =
        new Engine(null, 4, 4, 4) {
          @Override
          public void write(Iterator<Product2<Object, Object>> records) throws IOException {
            Files.write(Path.of(resolver.getDataFile(SHUFFLE, MAP) + ".tmp"), new byte[1]);
            Files.write(
                Path.of(resolver.getIndexFile(SHUFFLE, MAP, Option.empty()) + ".tmp"), new byte[1]);
            throw new IOException("no space");
          }
        };
    AdoptedFileWriter<Object, Object> writer = writer(engine);

    assertThatThrownBy(() -> writer.write(noRecords())).hasMessage("no space");
    writer.stop(false);

    assertThat(files()).isEmpty();
  }

  @Test
  void keepsFilesThatAreCommittedAfterThePush() throws IOException {
    AdoptedFileWriter<Object, Object> writer = writer(new Engine(null, 4, 4, 4));
    writer.write(noRecords());
    // Local output of the attempt has the names that the engine's file had.
    Path local = resolver.getDataFile(SHUFFLE, MAP).toPath();
    Files.write(local, new byte[1]);
    writer.stop(true);

    assertThat(files()).containsExactly(local);
  }

  @Test
  void marksOneStop() {
    AdoptedFileWriter<Object, Object> writer = writer(new Engine(null, 4, 4, 4));
    writer.stop(false);
    writer.stop(false);
    assertThat(stops).isEqualTo(Arrays.asList(false));
  }
}
