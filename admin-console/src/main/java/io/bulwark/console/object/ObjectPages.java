package io.bulwark.console.object;

import io.bulwark.client.error.NoSuchKeyException;
import io.bulwark.console.bucket.Buckets;
import io.bulwark.console.http.ApiException;
import io.bulwark.console.page.Redirection;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.ModelAndView;

/** Pages of a bucket's objects: the browser, the object, and its fragment map. */
@Controller
@RequestMapping("/buckets/{bucket}")
class ObjectPages {
    private static final int ROWS = 200;
    private static final int VERSIONS = 50;
    private static final int EXTENTS = 16;

    private final Objects objects;
    private final Buckets buckets;

    ObjectPages(Objects objects, Buckets buckets) {
        this.objects = objects;
        this.buckets = buckets;
    }

    /** A folder or an object, and its name within the folder that is shown. */
    public record Row<T>(String name, T item) {}

    @GetMapping
    String browse(
            @PathVariable String bucket,
            @RequestParam(defaultValue = "") String prefix,
            @RequestParam(defaultValue = "") String find,
            @RequestParam(required = false) @Nullable String cursor,
            Model model) {
        ObjectListing listing = objects.list(bucket, prefix + find, "/", ROWS, cursor);
        model.addAttribute("bucket", buckets.find(bucket));
        model.addAttribute("prefix", prefix);
        model.addAttribute("find", find);
        model.addAttribute("cursor", cursor);
        model.addAttribute("trail", trail(prefix));
        model.addAttribute(
                "folders",
                listing.prefixes().stream()
                        .map(each -> new Row<>(each.substring(prefix.length()), each))
                        .toList());
        model.addAttribute(
                "objects",
                listing.items().stream()
                        .map(each -> new Row<>(each.key().substring(prefix.length()), each))
                        .toList());
        model.addAttribute("next", listing.next());
        return "object/browser";
    }

    @GetMapping("/object")
    String find(
            @PathVariable String bucket,
            @RequestParam String key,
            @RequestParam(defaultValue = "0") long version,
            Model model) {
        ObjectView object = found(bucket, key, version);
        model.addAttribute("object", object);
        model.addAttribute("tagLines", object == null ? "" : lines(object.tags()));
        model.addAttribute("settings", buckets.find(bucket));
        model.addAttribute("versions", objects.versionsOf(bucket, key, VERSIONS, null));
        int slash = key.lastIndexOf('/', key.length() - 2);
        String folder = key.substring(0, slash + 1);
        model.addAttribute("trail", trail(folder));
        model.addAttribute("folder", folder);
        model.addAttribute("name", key.substring(slash + 1));
        return "object/object";
    }

    private static String lines(SortedMap<String, String> tags) {
        return tags.entrySet().stream()
                .map(tag -> tag.getKey() + "=" + tag.getValue())
                .collect(Collectors.joining("\n"));
    }

    /** Returns the version, or null if the latest one is a delete marker: older ones may be there. */
    private @Nullable ObjectView found(String bucket, String key, long version) {
        try {
            return objects.head(bucket, key, version);
        } catch (NoSuchKeyException e) {
            if (version != 0 || objects.versionsOf(bucket, key, 1, null).items().isEmpty()) {
                throw e;
            }
            return null;
        }
    }

    /** Sends the chosen objects as an archive; problems are a page, unlike those of the API. */
    @PostMapping("/zip")
    void zip(
            @PathVariable String bucket,
            @RequestParam(defaultValue = "") String base,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        ZipDownload.of(objects.bucket(bucket), base, false, request).send(bucket, base, response);
    }

    @GetMapping("/object/fragments")
    String fragments(
            @PathVariable String bucket,
            @RequestParam String key,
            @RequestParam(defaultValue = "0") long version,
            @RequestParam(required = false) @Nullable String cursor,
            Model model) {
        model.addAttribute("bucket", bucket);
        model.addAttribute("map", objects.fragments(bucket, key, version, EXTENTS, cursor));
        return "object/fragments";
    }

    /** @param tags one a line, as {@code name=value} */
    @PostMapping("/object/tags")
    ModelAndView setTags(
            @PathVariable String bucket,
            @RequestParam String key,
            @RequestParam long version,
            @RequestParam(defaultValue = "") String tags) {
        String[] lines = tags.lines().filter(line -> !line.isBlank()).toArray(String[]::new);
        objects.setTags(bucket, key, version, Objects.tags(lines), null);
        return new ModelAndView(Redirection.to("/buckets/{bucket}/object", bucket, "key", key));
    }

    @PostMapping("/object/copy")
    ModelAndView copy(
            @PathVariable String bucket,
            @RequestParam String key,
            @RequestParam String toBucket,
            @RequestParam String toKey,
            @RequestParam(defaultValue = "false") boolean replace) {
        ObjectView made = objects.copy(bucket, new Objects.Target(key, toBucket, toKey, !replace));
        return shown(made);
    }

    @PostMapping("/object/rename")
    ModelAndView rename(
            @PathVariable String bucket,
            @RequestParam String key,
            @RequestParam String toBucket,
            @RequestParam String toKey,
            @RequestParam(defaultValue = "false") boolean replace) {
        ObjectView made = objects.rename(bucket, new Objects.Target(key, toBucket, toKey, !replace));
        return shown(made);
    }

    @PostMapping("/object/delete")
    ModelAndView delete(
            @PathVariable String bucket,
            @RequestParam String key,
            @RequestParam(defaultValue = "0") long version,
            @RequestParam String confirmation) {
        String name = key.substring(key.lastIndexOf('/', key.length() - 2) + 1);
        if (!confirmation.equals(name)) {
            throw ApiException.badField(
                    "confirmation", "the name that was typed is not " + name + "; nothing was deleted");
        }
        objects.delete(bucket, key, version, null);
        return new ModelAndView(
                Redirection.to("/buckets/{bucket}", bucket, "prefix", key.substring(0, key.length() - name.length())));
    }

    private static ModelAndView shown(ObjectView made) {
        return new ModelAndView(Redirection.to("/buckets/{bucket}/object", made.bucket(), "key", made.key()));
    }

    /** Returns the folders above, each with its whole prefix. */
    private static List<Row<String>> trail(String prefix) {
        List<Row<String>> trail = new ArrayList<>();
        int from = 0;
        for (int slash = prefix.indexOf('/'); slash >= 0; slash = prefix.indexOf('/', from)) {
            trail.add(new Row<>(prefix.substring(from, slash + 1), prefix.substring(0, slash + 1)));
            from = slash + 1;
        }
        if (from < prefix.length()) {
            trail.add(new Row<>(prefix.substring(from), prefix));
        }
        return trail;
    }
}
