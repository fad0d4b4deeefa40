package io.sluice.server.remote;

import io.sluice.server.remote.spi.RemoteEntry;
import io.sluice.server.remote.spi.RemoteFileSystem;
import io.sluice.server.remote.spi.RemoteInput;
import io.sluice.server.remote.spi.RemoteOutput;
import io.sluice.server.remote.spi.RemoteSpace;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * An object store in memory: a file is visible once it is complete, and directories are parts of
 * names only. Injects failures and truncated files. Thread-safe.
 */
public final class InMemoryRemoteFileSystem implements RemoteFileSystem {
  // Guarded by this.
  private final TreeMap<String, byte[]> files = new TreeMap<>();
  private final List<String> deletedDirectories = new ArrayList<>();
  private int openInputs;
  private int callsUntilFailure = Integer.MAX_VALUE;
  private boolean failing;
  private int lostAtEnd;
  private long capacityBytes = 1L << 40;

  /** The n-th call from now fails, once. */
  public synchronized void failAtCall(int n) {
    callsUntilFailure = n;
  }

  /** Every call fails. */
  public synchronized void failAlways(boolean fail) {
    failing = fail;
  }

  /** Files silently lose {@code bytes} bytes at their end. */
  public synchronized void loseAtEnd(int bytes) {
    lostAtEnd = bytes;
  }

  public synchronized void capacityBytes(long bytes) {
    capacityBytes = bytes;
  }

  /** Adds a file of another writer. */
  public synchronized void put(String path, byte[] content) {
    files.put(path, content.clone());
  }

  public synchronized List<String> paths() {
    return List.copyOf(files.keySet());
  }

  public synchronized int openInputs() {
    return openInputs;
  }

  /** Directories passed to {@link #deleteEmptyDirectory}. */
  public synchronized List<String> deletedDirectories() {
    return List.copyOf(deletedDirectories);
  }

  @Override
  public String base() {
    return "memory:/shuffle";
  }

  @Override
  public synchronized RemoteOutput create(String path) throws IOException {
    count("create", path);
    return new Output(path);
  }

  @Override
  public synchronized RemoteInput open(String path) throws IOException {
    count("open", path);
    byte[] content = files.get(path);
    if (content == null) {
      throw new NoSuchFileException(path);
    }
    openInputs++;
    return new Input(path, content);
  }

  @Override
  public synchronized void delete(String path) throws IOException {
    count("delete", path);
    files.remove(path);
  }

  @Override
  public synchronized void deleteEmptyDirectory(String path) throws IOException {
    count("delete", path);
    deletedDirectories.add(path);
  }

  @Override
  public synchronized List<RemoteEntry> list(String path) throws IOException {
    count("list", path);
    String prefix = path.isEmpty() ? "" : path + "/";
    Map<String, RemoteEntry> entries = new TreeMap<>();
    files.forEach(
        (file, content) -> {
          if (file.startsWith(prefix)) {
            String rest = file.substring(prefix.length());
            int slash = rest.indexOf('/');
            String name = slash < 0 ? rest : rest.substring(0, slash);
            entries.put(name, new RemoteEntry(name, slash >= 0, slash < 0 ? content.length : 0));
          }
        });
    return List.copyOf(entries.values());
  }

  @Override
  public synchronized RemoteSpace space() throws IOException {
    count("space", "");
    long used = files.values().stream().mapToLong(content -> content.length).sum();
    return new RemoteSpace(capacityBytes, capacityBytes - used);
  }

  @Override
  public void close() {}

  private synchronized void count(String what, String path) throws IOException {
    if (failing || --callsUntilFailure == 0) {
      throw new IOException("injected failure: cannot " + what + " " + path);
    }
  }

  private synchronized void complete(String path, byte[] content) throws IOException {
    count("complete", path);
    files.put(path, java.util.Arrays.copyOf(content, Math.max(0, content.length - lostAtEnd)));
  }

  private synchronized void closed(Input unused) {
    openInputs--;
  }

  private final class Output implements RemoteOutput {
    private final String path;
    private final ByteArrayOutputStream content = new ByteArrayOutputStream();

    Output(String path) {
      this.path = path;
    }

    @Override
    public void write(ByteBuffer source) throws IOException {
      count("write", path);
      byte[] bytes = new byte[source.remaining()];
      source.get(bytes);
      content.write(bytes);
    }

    @Override
    public void complete() throws IOException {
      InMemoryRemoteFileSystem.this.complete(path, content.toByteArray());
    }

    @Override
    public void close() {}
  }

  private final class Input implements RemoteInput {
    private final String path;
    private final byte[] content;
    private boolean closed;

    Input(String path, byte[] content) {
      this.path = path;
      this.content = content;
    }

    @Override
    public long length() {
      return content.length;
    }

    @Override
    public int read(long position, ByteBuffer target) throws IOException {
      count("read", path);
      if (position >= content.length) {
        return -1;
      }
      int count = (int) Math.min(target.remaining(), content.length - position);
      target.put(content, (int) position, count);
      return count;
    }

    @Override
    public synchronized void close() {
      if (!closed) {
        closed = true;
        closed(this);
      }
    }
  }
}
