package io.sluice.client.file.hadoop;

import io.sluice.client.file.RemoteDirectory;
import io.sluice.client.file.RemoteRunFiles;
import io.sluice.client.file.RunFileOpener;

/** Service provider of {@link HadoopRunFiles}. It references no class of Hadoop. */
public final class HadoopRunFilesService implements RemoteRunFiles {
  /** Called by {@link java.util.ServiceLoader}. */
  public HadoopRunFilesService() {}

  @Override
  public RunFileOpener below(RemoteDirectory directory) {
    return new HadoopRunFiles(directory);
  }
}
