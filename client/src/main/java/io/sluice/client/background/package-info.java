/**
 * Pushing behind the task: outputs of map attempts that lie whole in local files go to the servers
 * afterwards, best effort, on a few threads for the whole process. Whatever is not pushed is read
 * from the files. An engine hands over outputs and says which shuffles nobody reads any more.
 */
package io.sluice.client.background;
