"""Matchings of maximum weight in general graphs, which stay optimal while weights change.

The method is Edmonds': every vertex has a dual variable, and so has every blossom; an edge may be matched once the
variables at its ends add up to its weight. One search from an unmatched vertex ends with an augmenting path, or with a
vertex whose variable is 0, which may stay unmatched. (J. Edmonds, "Maximum matching and a polyhedron with
0,1-vertices", 1965; Z. Galil, "Efficient algorithms for finding maximum matching in graphs", ACM Computing Surveys 18,
1986.)

Three things are needed here that kept libraries do not have: weights of any size, as the criteria of a pairing are one
integer; changing the weights at a vertex without solving all again; and searches that are short where many edges weigh
the same.
"""

from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from math import inf
from operator import sub
from typing import Final

FREE: Final = -1
"""In place of the mate of a vertex that has none."""
UNLABELLED: Final = 0
OUTER: Final = 1
INNER: Final = 2
GROW: Final = 0
JOIN: Final = 1
EXPAND: Final = 2


class Matching:
    """A graph with non-negative integer weights, 0 for no edge, and a matching.

    Nodes are vertices and blossoms, which are numbered on. `top` is the outermost node of a vertex. A blossom has its
    children in the order of its odd cycle, the one with its base first, and `links[i]` is the edge from child i to the
    next one. Weights and variables are doubled, so that all values stay integers.
    """

    def __init__(self, weights: Iterable[Sequence[int]], blocks: Sequence[int] = ()) -> None:
        """A symmetric matrix. `blocks` are the sizes of consecutive groups of vertices with similar edges, if there are
        several. They only save time: most of a block should be matched within, the first half with the second."""
        self._weights = [[2 * weight for weight in row] for row in weights]
        n = len(self._weights)
        self._n = n
        self.mates = [FREE] * n
        """By vertex; FREE without one. Optimal after `solve`."""
        self._top = list(range(n))
        self._label = [UNLABELLED] * n
        """Of vertices, those of their top nodes."""
        self._base: dict[int, int] = {}
        self._parent: dict[int, int] = {}
        self._children: dict[int, list[int]] = {}
        self._links: dict[int, list[tuple[int, int]]] = {}
        self._vertices: dict[int, list[int]] = {}
        self._blossom_duals: dict[int, int] = {}
        self._next = n
        self._duals: list[int] = []
        for size in blocks or [n]:
            begin = len(self._duals)
            self._duals += [max(row[begin : begin + size]) // 2 for row in self._weights[begin : begin + size]]
        # First those without edges within their block: theirs are the variables that edges between blocks should raise.
        for vertex in sorted(range(n), key=lambda vertex: (self._duals[vertex] > 0, -vertex)):
            self._duals[vertex] = max(self._duals[vertex], self._needed(vertex))
        for _ in range(3):  # nearer to tight, and still feasible
            needs = [max(map(sub, row, self._duals)) for row in self._weights]
            self._duals = [max(0, dual + need + 1) // 2 for dual, need in zip(self._duals, needs, strict=True)]
        for vertex in range(n):
            self._duals[vertex] = self._needed(vertex)
        begin = 0
        for size in blocks or [n]:
            self._match_tight(range(begin, begin + size))
            begin += size

    def change(self, vertex: int, weights: Iterable[tuple[int, int]]) -> None:
        self._open(vertex)
        row = self._weights[vertex]
        for other, weight in weights:
            row[other] = self._weights[other][vertex] = 2 * weight
        self._duals[vertex] = self._needed(vertex)
        self._check_mate(vertex)

    def change_all(self, weights: Iterable[tuple[int, int, int]]) -> None:
        for vertex in range(self._n):
            self._open(vertex)
        for a, b, weight in weights:
            self._weights[a][b] = self._weights[b][a] = 2 * weight
        for vertex in range(self._n):
            self._duals[vertex] = max(self._duals[vertex], self._needed(vertex))
        for vertex in range(self._n):
            self._check_mate(vertex)

    def fix(self, a: int, b: int) -> None:
        """Keep a pair, and take all other edges of the two away."""
        weight = self._weights[a][b]
        for vertex in (a, b):
            self._open(vertex)
            if self.mates[vertex] not in (a, b):
                self._part(vertex)
            for row in self._weights:
                row[vertex] = 0
            self._weights[vertex] = [0] * self._n
        self._weights[a][b] = self._weights[b][a] = weight
        self._duals[a] = self._duals[b] = weight // 2
        self.mates[a], self.mates[b] = b, a

    def solve(self) -> list[int]:
        """Make the matching one of maximum weight; its mates."""
        for vertex in range(self._n):
            if self.mates[vertex] == FREE and self._duals[vertex]:
                _Search(self, vertex).run()
        return self.mates

    # -- between searches -------------------------------------------------------------------------------------

    def _needed(self, vertex: int) -> int:
        """The least value of its variable that the others allow; it is in no blossom."""
        needed: int = max(map(sub, self._weights[vertex], self._duals))
        return max(0, needed)

    def _match_tight(self, block: range) -> None:
        """Match the vertices of a block over tight edges as they come: within it, then with those before it."""
        half = len(block) // 2
        for at, vertex in enumerate(block):
            row, dual = self._weights[vertex], self._duals[vertex]
            for other in (*block[at + half :], *block[half : at + half], *block[:half], *range(block.start)):
                if self.mates[vertex] != FREE:
                    break
                if self.mates[other] == FREE and row[other] and row[other] == dual + self._duals[other]:
                    self.mates[vertex], self.mates[other] = other, vertex

    def _check_mate(self, vertex: int) -> None:
        """Part a vertex from its mate if their edge is no longer tight."""
        mate = self.mates[vertex]
        if mate != FREE and (
            not self._weights[vertex][mate] or self._duals[vertex] + self._duals[mate] != self._weights[vertex][mate]
        ):
            self._part(vertex)

    def _part(self, vertex: int) -> None:
        mate = self.mates[vertex]
        self.mates[vertex] = FREE
        if mate != FREE:
            self.mates[mate] = FREE

    def _open(self, vertex: int) -> None:
        """Undo the blossoms around a vertex. Their variables go to their vertices, and their outer edges are parted."""
        while (blossom := self._top[vertex]) != vertex:
            dual = self._blossom_duals[blossom]
            if dual:
                for inside in self._vertices[blossom]:
                    self._duals[inside] += dual // 2
                self._part(self._base[blossom])
            self._dissolve(blossom)

    def _dissolve(self, blossom: int) -> list[int]:
        """Put its children in the place of a top blossom."""
        children = self._children.pop(blossom)
        for child in children:
            del self._parent[child]
            for vertex in self._vertices.get(child, (child,)):
                self._top[vertex] = child
        for table in (self._links, self._vertices, self._base, self._blossom_duals):
            del table[blossom]
        return children

    def _rebase(self, node: int, vertex: int) -> None:
        """Match a node within, so that this vertex of it is the one without a mate within."""
        if node < self._n or self._base[node] == vertex:
            return
        children, links = self._children[node], self._links[node]
        child = vertex
        while self._parent[child] != node:
            child = self._parent[child]
        self._rebase(child, vertex)
        at, size = children.index(child), len(children)
        for step in range(at + 1, size, 2) if at % 2 else range(at - 2, -1, -2):
            a, b = links[step]
            self._rebase(children[step], a)
            self._rebase(children[(step + 1) % size], b)
            self.mates[a], self.mates[b] = b, a
        self._children[node] = children[at:] + children[:at]
        self._links[node] = links[at:] + links[:at]
        self._base[node] = vertex


class _Search:
    """A tree of alternating paths from a free vertex.

    Time is how far variables have moved: those of outer vertices fall with it, those of inner ones rise. While they are
    in the tree they are stored as they would have been at time 0.
    """

    def __init__(self, graph: Matching, root: int) -> None:
        self._graph = graph
        self._now = 0
        self._nodes: dict[int, int] = {}
        """The labels of the nodes of the tree."""
        self._entries: dict[int, tuple[int, int] | None] = {}
        """By node, the edge to it from its parent in the tree."""
        self._touched: list[int] = []
        self._events: list[tuple[int, int, int, int]] = []
        """Time, kind and two numbers: an edge, or a blossom."""
        self._earliest: list[float] = [inf] * graph._n
        """By vertex without a label, the time when an edge from the tree to it is tight."""
        self._queue: list[int] = []
        """Outer vertices whose edges have not been looked at."""
        self._end = graph._duals[root]
        """When the search ends at the latest."""
        self._goal: tuple[int, int] = (root, FREE)
        """What ends it then: an edge to a free vertex, or a vertex whose variable is 0."""
        self._add_outer(graph._top[root], None)

    def run(self) -> None:
        """Match the free vertex, or make a vertex free whose variable is then 0."""
        graph, events = self._graph, self._events
        while self._now < self._end:
            if self._queue:
                self._scan(self._queue.pop())
            elif events and events[0][0] < self._end:
                self._now, kind, a, b = heappop(events)
                if kind == GROW:
                    # An inner vertex that has lost its label may have moved away since.
                    tight = graph._duals[a] + graph._duals[b] - self._now == graph._weights[a][b]
                    if tight and graph._label[b] == UNLABELLED:
                        self._grow(a, b)
                elif kind == JOIN:
                    if graph._top[a] != graph._top[b]:
                        self._join(a, b)
                elif self._nodes.get(a) == INNER:
                    self._expand(a)
            else:
                self._now = self._end
        self._augment(*self._goal)
        for node in list(self._nodes):  # take the tree down, with the blossoms whose variable is 0
            self._take_out(node)
            self._dissolve_empty(node)

    def _scan(self, vertex: int) -> None:
        """Follow the tight edges of an outer vertex, and note when others become tight."""
        graph, now = self._graph, self._now
        label, tops, events, earliest = graph._label, graph._top, self._events, self._earliest
        dual, top = graph._duals[vertex], tops[vertex]
        limit = 2 * self._end - dual
        for other, rest in enumerate(map(sub, graph._duals, graph._weights[vertex])):
            if rest >= limit:
                continue
            if label[other] == OUTER:
                if tops[other] != top:
                    time = (dual + rest) // 2
                    if time == now:
                        self._join(vertex, other)
                        top = tops[vertex]
                        limit = 2 * self._end - dual
                    elif time < self._end:
                        heappush(events, (time, JOIN, vertex, other))
            elif label[other] == UNLABELLED:
                time = dual + rest
                if time < earliest[other] and time < self._end:
                    earliest[other] = time
                    node = tops[other]
                    if graph.mates[graph._base.get(node, node)] == FREE:
                        self._end, self._goal = time, (vertex, other)
                        limit = 2 * time - dual
                    elif time == now:
                        self._grow(vertex, other)
                        limit = 2 * self._end - dual
                    else:
                        heappush(events, (time, GROW, vertex, other))
                    if self._end == now:
                        return

    def _add_outer(self, node: int, entry: tuple[int, int] | None) -> None:
        """A node without a label enters the tree, or one that a blossom had in it."""
        graph = self._graph
        self._nodes[node] = OUTER
        self._entries[node] = entry
        if node >= graph._n:
            graph._blossom_duals[node] -= 2 * self._now
        for vertex in graph._vertices.get(node, (node,)):
            graph._duals[vertex] += self._now
            self._label_outer(vertex)

    def _label_outer(self, vertex: int) -> None:
        graph = self._graph
        graph._label[vertex] = OUTER
        self._touched.append(vertex)
        self._queue.append(vertex)
        if graph._duals[vertex] < self._end:
            self._end, self._goal = graph._duals[vertex], (vertex, FREE)

    def _add_inner(self, node: int, entry: tuple[int, int]) -> None:
        graph = self._graph
        self._nodes[node] = INNER
        self._entries[node] = entry
        if node >= graph._n:
            graph._blossom_duals[node] += 2 * self._now
            heappush(self._events, (graph._blossom_duals[node] // 2, EXPAND, node, 0))
        for vertex in graph._vertices.get(node, (node,)):
            graph._duals[vertex] -= self._now
            graph._label[vertex] = INNER
            self._touched.append(vertex)

    def _take_out(self, node: int) -> None:
        """Give a node and its vertices their true variables, without a label."""
        graph = self._graph
        sign = -1 if self._nodes.pop(node) == OUTER else 1
        del self._entries[node]
        if node >= graph._n:
            graph._blossom_duals[node] -= 2 * sign * self._now
        for vertex in graph._vertices.get(node, (node,)):
            graph._duals[vertex] += sign * self._now
            graph._label[vertex] = UNLABELLED

    def _grow(self, outer: int, vertex: int) -> None:
        """A matched node joins the tree as an inner one, and the one it is matched with as an outer one."""
        graph = self._graph
        node = graph._top[vertex]
        self._add_inner(node, (outer, vertex))
        base = graph._base.get(node, node)
        mate = graph.mates[base]
        self._add_outer(graph._top[mate], (base, mate))

    def _path(self, node: int) -> list[int]:
        """The nodes from one to the root."""
        path = [node]
        while (entry := self._entries[path[-1]]) is not None:
            path.append(self._graph._top[entry[0]])
        return path

    def _join(self, a: int, b: int) -> None:
        """Two outer nodes with a tight edge: the odd cycle becomes a blossom."""
        graph = self._graph
        left, right = self._path(graph._top[a]), self._path(graph._top[b])
        while len(left) > 1 and len(right) > 1 and left[-2] == right[-2]:
            left.pop()
            right.pop()
        ancestor = left.pop()
        right.pop()
        children = [ancestor, *reversed(left), *right]
        links = [*map(self._entry, reversed(left)), (a, b)]
        for child in right:
            x, y = self._entry(child)
            links.append((y, x))
        blossom = graph._next
        graph._next += 1
        entry = self._entries[ancestor]
        vertices: list[int] = []
        for child in children:
            inner = self._nodes[child] == INNER
            own = graph._vertices.get(child, [child])
            if inner:
                self._take_out(child)
                for vertex in own:
                    graph._duals[vertex] += self._now
                    self._label_outer(vertex)
            else:
                del self._nodes[child], self._entries[child]
                if child >= graph._n:
                    graph._blossom_duals[child] += 2 * self._now
            graph._parent[child] = blossom
            vertices += own
        for vertex in vertices:
            graph._top[vertex] = blossom
        graph._base[blossom] = graph._base.get(ancestor, ancestor)
        graph._children[blossom], graph._links[blossom], graph._vertices[blossom] = children, links, vertices
        graph._blossom_duals[blossom] = -2 * self._now
        self._nodes[blossom] = OUTER
        self._entries[blossom] = entry

    def _entry(self, node: int) -> tuple[int, int]:
        entry = self._entries[node]
        assert entry is not None
        return entry

    def _expand(self, blossom: int) -> None:
        """An inner blossom whose variable is 0 gives way to its children."""
        graph = self._graph
        entry = self._entry(blossom)
        self._take_out(blossom)
        links = graph._links[blossom]
        children = graph._dissolve(blossom)
        at, size = children.index(graph._top[entry[1]]), len(children)
        steps = range(at, size) if at % 2 else range(at - 1, -1, -1)
        self._add_inner(children[at], entry)
        outer = True
        for step in steps:
            a, b = links[step]
            child = children[(step + 1) % size] if at % 2 else children[step]
            towards = (a, b) if at % 2 else (b, a)
            if outer:
                self._add_outer(child, towards)
            else:
                self._add_inner(child, towards)
            outer = not outer
        for child in children:
            if child not in self._nodes:
                for vertex in graph._vertices.get(child, (child,)):
                    self._wait_for(vertex)

    def _wait_for(self, vertex: int) -> None:
        """Note when the first edge from the tree to a vertex that has lost its label becomes tight."""
        graph = self._graph
        dual, row = graph._duals[vertex], graph._weights[vertex]
        times = [
            (other_dual + dual - row[other], other)
            for other, other_dual in enumerate(graph._duals)
            if graph._label[other] == OUTER and row[other]
        ]
        self._earliest[vertex] = inf
        if times:
            time, other = min(times)
            if time < self._end:
                self._earliest[vertex] = time
                heappush(self._events, (time, GROW, other, vertex))

    def _augment(self, a: int, b: int) -> None:
        """Match along the path from the root to an edge to a free vertex, or to a vertex that becomes free."""
        graph = self._graph
        if b != FREE:
            graph._rebase(graph._top[b], b)
        while True:
            node = graph._top[a]
            graph._rebase(node, a)
            graph.mates[a] = b
            if b != FREE:
                graph.mates[b] = a
            entry = self._entries[node]
            if entry is None:
                return
            inner = graph._top[entry[0]]
            a, b = self._entry(inner)
            graph._rebase(inner, b)

    def _dissolve_empty(self, node: int) -> None:
        graph = self._graph
        if node >= graph._n and not graph._blossom_duals[node]:
            for child in graph._dissolve(node):
                self._dissolve_empty(child)
