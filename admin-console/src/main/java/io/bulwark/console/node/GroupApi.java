package io.bulwark.console.node;

import io.bulwark.client.error.BulwarkException;
import io.bulwark.console.PlacementView;
import io.bulwark.console.http.ApiException;
import io.bulwark.console.http.Page;
import io.bulwark.console.live.ClusterWatch;
import io.bulwark.console.live.Outages;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** {@code /api/v1/groups}: placement groups with their epochs, and the end of announced changes. */
@RestController
@RequestMapping("/api/v1/groups")
class GroupApi {
    private static final int LIMIT_MAX = 1000;

    private final ClusterWatch watch;
    private final NodeChanges changes;
    private final Outages outages;

    GroupApi(ClusterWatch watch, NodeChanges changes, Outages outages) {
        this.watch = watch;
        this.changes = changes;
        this.outages = outages;
    }

    /** Groups whose announced change was aborted. */
    record Aborted(String volume, List<Integer> groups) {}

    @GetMapping
    @Operation(summary = "Placement groups: holders, epochs, announced changes, unconfirmed slots")
    @ApiResponse(responseCode = "200", description = "A part of the groups, by volume and number")
    @ApiResponse(responseCode = "400", description = "A limit or cursor that cannot be")
    @ApiResponse(responseCode = "404", description = "There is no such volume")
    Page<PlacementView> list(
            @RequestParam(defaultValue = "100") int limit,
            @RequestParam(defaultValue = "0") String cursor,
            @RequestParam(required = false) @Nullable String volume) {
        if (limit < 1 || limit > LIMIT_MAX) {
            throw ApiException.badField("limit", "1 to " + LIMIT_MAX + " is wanted");
        }
        if (!cursor.matches("[0-9]{1,9}")) {
            throw ApiException.badField("cursor", "this cursor was not given by this list");
        }
        Optional<String> wanted = Inputs.volume(volume);
        List<PlacementView> all = PlacementView.of(watch.map().map()).stream()
                .filter(group -> wanted.isEmpty() || group.volume().equals(wanted.get()))
                .toList();
        if (wanted.isPresent() && all.isEmpty()) {
            throw ApiException.notFound("there is no volume of this name");
        }
        int from = Math.min(all.size(), Integer.parseInt(cursor));
        int to = Math.min(all.size(), from + limit);
        return new Page<>(all.subList(from, to), to == all.size() ? null : Integer.toString(to));
    }

    @DeleteMapping("/{volume}/changes")
    @Operation(summary = "Abort all announced changes of a volume whose epoch has not opened")
    @ApiResponse(responseCode = "200", description = "The groups whose change was aborted")
    @ApiResponse(responseCode = "404", description = "There is no such volume")
    @ApiResponse(responseCode = "409", description = "No change is announced there")
    @ApiResponse(responseCode = "412", description = "A group has another epoch by now")
    Aborted abortAll(@PathVariable String volume) {
        return new Aborted(volume, changes.abort(volume, Optional.empty()));
    }

    @DeleteMapping("/{volume}/{group}/change")
    @Operation(summary = "Abort the announced change of a group whose epoch has not opened")
    @ApiResponse(responseCode = "200", description = "The group")
    @ApiResponse(responseCode = "404", description = "There is no such volume or group")
    @ApiResponse(responseCode = "409", description = "No change is announced there")
    @ApiResponse(responseCode = "412", description = "The group has another epoch by now")
    Aborted abort(@PathVariable String volume, @PathVariable String group) {
        return new Aborted(volume, changes.abort(volume, Optional.of(number(group))));
    }

    @ExceptionHandler
    ProblemDetail failed(BulwarkException failure) {
        return outages.problem(failure);
    }

    static int number(String group) {
        if (!group.matches("[0-9]{1,9}")) {
            throw ApiException.badField("group", "the number of a group is wanted");
        }
        return Integer.parseInt(group);
    }
}
