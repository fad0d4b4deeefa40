package io.sluice.storage.hadoop;

import io.sluice.server.remote.spi.KerberosSettings;
import io.sluice.server.remote.spi.RemoteFileSystem;
import io.sluice.server.remote.spi.RemoteFileSystemProvider;
import io.sluice.server.remote.spi.RemoteSettings;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Opens a file system of any scheme that Hadoop supports. */
public final class HadoopFileSystemProvider implements RemoteFileSystemProvider {
  private final HadoopSecurity security;

  /** Called by {@link java.util.ServiceLoader}. */
  public HadoopFileSystemProvider() {
    this(new UserGroupSecurity());
  }

  HadoopFileSystemProvider(HadoopSecurity security) {
    this.security = security;
  }

  @Override
  public RemoteFileSystem open(RemoteSettings settings) throws IOException {
    Configuration configuration = configuration(settings);
    Optional<KerberosSettings> kerberos = settings.kerberos();
    KerberosLogin login = null;
    boolean opened = false;
    try {
      if (kerberos.isPresent()) {
        login = KerberosLogin.begin(kerberos.get(), configuration, security);
      }
      RemoteFileSystem files =
          open(settings.base(), configuration, login, FileModes.of(settings.group()));
      opened = true;
      return files;
    } catch (IOException e) {
      throw HadoopFailure.failure("cannot open " + settings.base(), e);
    } finally {
      if (!opened && login != null) {
        login.close();
      }
    }
  }

  private static RemoteFileSystem open(
      String base, Configuration configuration, KerberosLogin login, FileModes modes)
      throws IOException {
    URI uri;
    try {
      uri = new Path(base).toUri();
    } catch (IllegalArgumentException e) {
      throw new IOException("invalid path: " + e.getMessage(), e);
    }
    // A separate instance: closing a shared instance would close it for all users.
    FileSystem fileSystem = FileSystem.newInstance(uri, configuration);
    boolean opened = false;
    try {
      // Blocks have checksums; for local files Hadoop would write an additional checksum file.
      fileSystem.setWriteChecksum(false);
      Path path = fileSystem.makeQualified(new Path(uri));
      modes.makeBase(fileSystem, path);
      opened = true;
      return new HadoopFileSystem(fileSystem, path, login, modes);
    } finally {
      if (!opened) {
        fileSystem.close();
      }
    }
  }

  private static Configuration configuration(RemoteSettings settings) throws IOException {
    Configuration configuration = new Configuration();
    configuration.setClassLoader(HadoopFileSystemProvider.class.getClassLoader());
    if (settings.configurationDirectory().isPresent()) {
      java.nio.file.Path directory = settings.configurationDirectory().get();
      if (!Files.isDirectory(directory)) {
        throw new NotDirectoryException(
            "Hadoop configuration directory "
                + directory
                + " does not exist or is not a directory");
      }
      for (String file : new String[] {"core-site.xml", "hdfs-site.xml"}) {
        if (Files.exists(directory.resolve(file))) {
          configuration.addResource(new Path(directory.resolve(file).toUri()));
        }
      }
    }
    settings.properties().forEach(configuration::set);
    return configuration;
  }
}
