package io.bulwark.client;

import java.util.List;

/**
 * A page of uploads.
 *
 * @param more whether others follow behind the last of these
 */
public record UploadPage(List<Upload> uploads, boolean more) {
    public UploadPage {
        uploads = List.copyOf(uploads);
    }
}
