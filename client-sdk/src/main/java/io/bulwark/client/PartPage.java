package io.bulwark.client;

import java.util.List;

/**
 * A page of the parts of an upload.
 *
 * @param more whether others follow behind the last of these
 */
public record PartPage(List<UploadedPart> parts, boolean more) {
    public PartPage {
        parts = List.copyOf(parts);
    }
}
