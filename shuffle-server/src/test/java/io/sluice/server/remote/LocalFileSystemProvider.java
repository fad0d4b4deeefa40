package io.sluice.server.remote;

import io.sluice.server.remote.spi.RemoteEntry;
import io.sluice.server.remote.spi.RemoteFileSystem;
import io.sluice.server.remote.spi.RemoteFileSystemProvider;
import io.sluice.server.remote.spi.RemoteInput;
import io.sluice.server.remote.spi.RemoteOutput;
import io.sluice.server.remote.spi.RemoteSettings;
import io.sluice.server.remote.spi.RemoteSpace;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A remote file system without a network: a directory of this machine, {@code local:/path}. */
public final class LocalFileSystemProvider implements RemoteFileSystemProvider {
  /**
   * Makes a class path on which a server finds this provider.
   *
   * @param directory directory for the file that registers it
   */
  public static String classPath(Path directory) throws IOException {
    Path services = Files.createDirectories(directory.resolve("META-INF/services"));
    Files.writeString(
        services.resolve(RemoteFileSystemProvider.class.getName()),
        LocalFileSystemProvider.class.getName());
    try {
      Path own =
          Path.of(
              LocalFileSystemProvider.class
                  .getProtectionDomain()
                  .getCodeSource()
                  .getLocation()
                  .toURI());
      return directory + File.pathSeparator + own;
    } catch (URISyntaxException e) {
      throw new IOException(e);
    }
  }

  @Override
  public RemoteFileSystem open(RemoteSettings settings) throws IOException {
    return new LocalFileSystem(
        Files.createDirectories(Path.of(URI.create(settings.base()).getPath())));
  }

  /** Opens a directory that another process may delete while it is empty, and create again. */
  public static RemoteFileSystem shared(Path directory) {
    return new LocalFileSystem(directory);
  }

  private record LocalFileSystem(Path directory) implements RemoteFileSystem {
    @Override
    public String base() {
      return "local:" + directory;
    }

    @Override
    public RemoteOutput create(String path) throws IOException {
      Path file = directory.resolve(path);
      Files.createDirectories(file.getParent());
      return new Output(
          file,
          FileChannel.open(
              file,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE));
    }

    @Override
    public RemoteInput open(String path) throws IOException {
      FileChannel channel = FileChannel.open(directory.resolve(path));
      return new Input(channel, channel.size());
    }

    @Override
    public void delete(String path) throws IOException {
      Files.deleteIfExists(directory.resolve(path));
    }

    @Override
    public void deleteEmptyDirectory(String path) throws IOException {
      try {
        Files.deleteIfExists(directory.resolve(path));
      } catch (DirectoryNotEmptyException e) {
        return;
      }
    }

    @Override
    public List<RemoteEntry> list(String path) throws IOException {
      List<Path> files;
      try (Stream<Path> found = Files.list(path.isEmpty() ? directory : directory.resolve(path))) {
        files = found.toList();
      } catch (NoSuchFileException | NotDirectoryException e) {
        return List.of();
      }
      List<RemoteEntry> entries = new ArrayList<>();
      for (Path file : files) {
        boolean isDirectory = Files.isDirectory(file);
        entries.add(
            new RemoteEntry(
                file.getFileName().toString(), isDirectory, isDirectory ? 0 : Files.size(file)));
      }
      return entries;
    }

    @Override
    public RemoteSpace space() throws IOException {
      return new RemoteSpace(
          Files.getFileStore(directory).getTotalSpace(),
          Files.getFileStore(directory).getUsableSpace());
    }

    @Override
    public void close() {}
  }

  private static final class Output implements RemoteOutput {
    private final Path file;
    private final FileChannel channel;
    private boolean completed;

    Output(Path file, FileChannel channel) {
      this.file = file;
      this.channel = channel;
    }

    @Override
    public void write(ByteBuffer source) throws IOException {
      while (source.hasRemaining()) {
        channel.write(source);
      }
    }

    @Override
    public void complete() throws IOException {
      channel.close();
      completed = true;
    }

    @Override
    public void close() throws IOException {
      channel.close();
      if (!completed) {
        Files.deleteIfExists(file);
      }
    }
  }

  private record Input(FileChannel channel, long length) implements RemoteInput {
    @Override
    public int read(long position, ByteBuffer target) throws IOException {
      return channel.read(target, position);
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
