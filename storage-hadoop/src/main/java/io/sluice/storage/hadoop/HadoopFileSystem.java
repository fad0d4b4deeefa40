package io.sluice.storage.hadoop;

import io.sluice.server.remote.spi.RemoteEntry;
import io.sluice.server.remote.spi.RemoteFileSystem;
import io.sluice.server.remote.spi.RemoteInput;
import io.sluice.server.remote.spi.RemoteOutput;
import io.sluice.server.remote.spi.RemoteSpace;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;

/**
 * One directory of a Hadoop file system. Uses create, open, delete, list and status, and mkdirs if
 * the file system has access rights. It does not use rename, append and flush, which need a copy or
 * do not exist on object stores. Thread-safe.
 */
final class HadoopFileSystem implements RemoteFileSystem {
  private static final int BUFFER_BYTES = 64 << 10;

  private final FileSystem fileSystem;
  private final Path base;
  private final KerberosLogin login;
  private final FileModes modes;

  /**
   * @param fileSystem takes ownership
   * @param login takes ownership; null: none
   */
  HadoopFileSystem(FileSystem fileSystem, Path base, KerberosLogin login, FileModes modes) {
    this.fileSystem = fileSystem;
    this.base = base;
    this.login = login;
    this.modes = modes;
  }

  @Override
  public String base() {
    return base.toString();
  }

  @Override
  public RemoteOutput create(String path) throws IOException {
    Path file = resolve(path);
    try {
      return new HadoopOutput(fileSystem, file, modes.create(fileSystem, base, file, BUFFER_BYTES));
    } catch (IOException e) {
      throw failure("create", file, e);
    }
  }

  @Override
  public RemoteInput open(String path) throws IOException {
    Path file = resolve(path);
    FileStatus status;
    FSDataInputStream stream;
    try {
      status = fileSystem.getFileStatus(file);
      stream = fileSystem.open(file);
    } catch (FileNotFoundException e) {
      NoSuchFileException missing = new NoSuchFileException(file.toString());
      missing.initCause(e);
      throw missing;
    } catch (IOException e) {
      throw failure("open", file, e);
    }
    return new HadoopInput(file, status.getLen(), stream);
  }

  @Override
  public void delete(String path) throws IOException {
    Path file = resolve(path);
    try {
      if (modes.areDirectoriesImplied(fileSystem, base)) {
        ObjectDeletion.delete(fileSystem, base, file);
      } else {
        fileSystem.delete(file, false);
      }
    } catch (FileNotFoundException e) {
      // The file was deleted concurrently.
      return;
    } catch (IOException e) {
      throw failure("delete", file, e);
    }
  }

  @Override
  public void deleteEmptyDirectory(String path) throws IOException {
    Path directory = resolve(path);
    try {
      fileSystem.delete(directory, false);
    } catch (FileNotFoundException | PathIsNotEmptyDirectoryException e) {
      return;
    } catch (IOException e) {
      if (!isNotEmpty(directory)) {
        throw failure("delete", directory, e);
      }
    }
  }

  @Override
  public List<RemoteEntry> list(String path) throws IOException {
    Path directory = path.isEmpty() ? base : resolve(path);
    List<RemoteEntry> entries = new ArrayList<>();
    try {
      for (FileStatus status : fileSystem.listStatus(directory)) {
        entries.add(
            new RemoteEntry(
                status.getPath().getName(),
                status.isDirectory(),
                status.isDirectory() ? 0 : status.getLen()));
      }
    } catch (FileNotFoundException e) {
      return List.of();
    } catch (IOException e) {
      throw failure("list", directory, e);
    }
    return entries;
  }

  @Override
  public RemoteSpace space() throws IOException {
    try {
      FsStatus status = fileSystem.getStatus(base);
      return new RemoteSpace(status.getCapacity(), status.getRemaining());
    } catch (IOException e) {
      throw failure("get the free space of", base, e);
    }
  }

  @Override
  public void close() throws IOException {
    try {
      fileSystem.close();
    } finally {
      if (login != null) {
        login.close();
      }
    }
  }

  private Path resolve(String path) {
    return new Path(base, path);
  }

  /**
   * Checks for entries, because file systems report the deletion of a non-empty directory
   * differently.
   */
  private boolean isNotEmpty(Path directory) throws IOException {
    try {
      return fileSystem.listStatus(directory).length > 0;
    } catch (FileNotFoundException e) {
      return false;
    }
  }

  private static IOException failure(String what, Path path, IOException cause) {
    return HadoopFailure.failure("cannot " + what + " " + path, cause);
  }
}
