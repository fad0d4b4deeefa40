package io.sluice.client.file.hadoop;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.client.file.RunFileHeader;
import io.sluice.client.file.RunFileInput;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An open run file on a Hadoop file system. Each read has its own array, because a read that hangs
 * may write to it after its caller has stopped waiting.
 */
final class HadoopRunFile implements RunFileInput {
  private static final Logger LOG = LoggerFactory.getLogger(HadoopRunFile.class);

  private final String name;
  private final FSDataInputStream stream;
  private final HadoopRunFiles files;

  private HadoopRunFile(String name, FSDataInputStream stream, HadoopRunFiles files) {
    this.name = name;
    this.stream = stream;
    this.files = files;
  }

  /**
   * Opens a file, on a thread that may wait for the file system. The file system object is shared
   * with the engine and is not closed.
   *
   * @param name path of the file with the scheme
   * @param file last part of the path, which the header of the file must contain
   */
  static RunFileInput open(String name, String file, HadoopRunFiles files) {
    FSDataInputStream stream = null;
    try {
      Path path = new Path(name);
      stream = path.getFileSystem(new Configuration()).open(path);
      byte[] header = new byte[RunFileHeader.LENGTH];
      stream.readFully(0, header, 0, header.length);
      RunFileHeader.check(Unpooled.wrappedBuffer(header), file);
      return new HadoopRunFile(name, stream, files);
    } catch (IOException e) {
      close(name, stream);
      throw new UncheckedIOException("opening run file " + name + " failed: " + e.getMessage(), e);
    }
  }

  @Override
  public void read(long position, ByteBuf target, int length) throws IOException {
    target.writeBytes(
        files.inTime(
            name,
            () -> {
              byte[] bytes = new byte[length];
              stream.readFully(position, bytes, 0, length);
              return bytes;
            }));
  }

  @Override
  public void close() {
    close(name, stream);
  }

  private static void close(String name, FSDataInputStream stream) {
    try {
      if (stream != null) {
        stream.close();
      }
    } catch (IOException e) {
      LOG.warn("closing a run file failed file={} reason={}", name, e.toString());
    }
  }
}
