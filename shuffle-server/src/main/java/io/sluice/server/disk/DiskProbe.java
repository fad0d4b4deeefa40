package io.sluice.server.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes and syncs a small file of random bytes, reads it back, compares and deletes it. Reports
 * failures to the health of the disk. One call at a time, on a thread of the disk.
 */
final class DiskProbe {
  private static final Logger LOG = LoggerFactory.getLogger(DiskProbe.class);

  static final String FILE = "probe";
  private static final int BYTES = 16 << 10;

  private final Storage storage;
  private final DiskHealth health;
  private final RandomGenerator random;
  private final PageCache pageCache;

  /**
   * @param pageCache drops the probe before it is read back, so that the read reaches the disk
   */
  DiskProbe(Disk disk, RandomGenerator random, PageCache pageCache) {
    this.pageCache = pageCache;
    this.storage = disk.storage();
    this.health = disk.health();
    this.random = random;
  }

  /**
   * Probes once.
   *
   * @return whether the probe succeeded; a failure was reported to the health
   */
  boolean run() {
    try {
      storage.checkPresent();
    } catch (IOException e) {
      if (DiskFault.of(e) == DiskFault.ABSENT) {
        health.directoryAbsent(e);
      } else {
        health.probeNotRead(e);
      }
      return false;
    }
    byte[] content = new byte[BYTES];
    random.nextBytes(content);
    try {
      write(content);
    } catch (IOException e) {
      if (DiskFault.of(e) == DiskFault.ABSENT) {
        health.directoryAbsent(e);
      } else {
        health.probeNotWritten(e);
      }
      return false;
    }
    try {
      compare(content);
    } catch (IOException e) {
      health.probeNotRead(e);
      return false;
    } finally {
      delete();
    }
    return true;
  }

  private void write(byte[] content) throws IOException {
    try (Storage.NewFile file = storage.create(FILE)) {
      ByteBuffer bytes = ByteBuffer.wrap(content);
      while (bytes.hasRemaining()) {
        if (file.channel().write(bytes) <= 0) {
          throw new IOException("the probe file accepts no more bytes");
        }
      }
      // Otherwise the read would be served from the page cache.
      file.channel().force(false);
      file.commit();
    }
  }

  private void compare(byte[] content) throws IOException {
    ByteBuffer found = ByteBuffer.allocate(content.length);
    try (FileChannel channel = storage.open(FILE)) {
      pageCache.drop(channel, 0, content.length);
      while (found.hasRemaining()) {
        if (channel.read(found, found.position()) < 0) {
          break;
        }
      }
    }
    int difference = ByteBuffer.wrap(content).mismatch(found.flip());
    if (difference >= 0) {
      health.checksumFailed(storage.name() + "/" + FILE, difference);
      throw new IOException("probe read back with a wrong byte at offset " + difference);
    }
  }

  private void delete() {
    try {
      storage.delete(FILE);
    } catch (IOException e) {
      LOG.warn("probe not deleted disk={} problem={}", storage.name(), e.toString());
    }
  }
}
