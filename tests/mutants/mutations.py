"""Single faults in a module: each replaces one expression or statement of its source."""

import ast
from collections.abc import Iterator
from typing import Final, NamedTuple

COMPARISONS: Final = {
    ast.Lt: ("<=", ">="), ast.LtE: ("<", ">"), ast.Gt: (">=", "<="), ast.GtE: (">", "<"), ast.Eq: ("!=",),
    ast.NotEq: ("==",), ast.In: ("not in",), ast.NotIn: ("in",), ast.Is: ("is not",), ast.IsNot: ("is",),
}  # fmt: skip
OPERATORS: Final = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "*", ast.Mod: "*", ast.Pow: "*",
    ast.BitOr: "&", ast.BitAnd: "|", ast.BitXor: "|", ast.LShift: ">>", ast.RShift: "<<",
}  # fmt: skip


class Mutation(NamedTuple):
    """Replaces the bytes from `start` to `end` of a source."""

    start: int
    end: int
    text: str
    kind: str

    def apply(self, source: bytes) -> bytes:
        """The source with this fault."""
        return source[: self.start] + self.text.encode() + source[self.end :]


def mutations(source: bytes) -> list[Mutation]:
    """All single faults of a module, in the order of its source.

    Not in annotations, decorators, imports, texts, assertions, what an error says, and what only type checkers see.
    """
    found = _Mutations(source)
    found.visit(ast.parse(source))
    return sorted(set(found.found))


class _Mutations(ast.NodeVisitor):
    def __init__(self, source: bytes) -> None:
        self._lines = [0]
        for line in source.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))
        self.found: list[Mutation] = []

    def _add(self, node: ast.expr | ast.stmt, text: str, kind: str) -> None:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self._lines[node.lineno - 1] + node.col_offset
        self.found.append(Mutation(start, self._lines[node.end_lineno - 1] + node.end_col_offset, text, kind))

    def _visit_body(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        defaults = [] if isinstance(node, ast.ClassDef) else [*node.args.defaults, *node.args.kw_defaults]
        if node.name != "__repr__":
            for part in (*filter(None, defaults), *node.body):
                self.visit(part)

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = _visit_body  # noqa: N815

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)
            if not isinstance(node.target, ast.Name):
                self._add(node, "pass", "statement")

    def visit_Assign(self, node: ast.Assign) -> None:
        if not any(isinstance(target, ast.Name) for target in node.targets):
            self._add(node, "pass", "statement")
        if ast.unparse(node.targets[0]) != "__all__":
            self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._add(node, "pass", "statement")
        operator = OPERATORS[type(node.op)]
        self._add(node, f"{ast.unparse(node.target)} {operator}= {ast.unparse(node.value)}", "arithmetic")
        self.visit(node.value)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call | ast.Await):
            self._add(node, "pass", "statement")
        self.generic_visit(node)

    def _visit_tested(self, node: ast.If | ast.While | ast.IfExp | ast.comprehension) -> None:
        tests = node.ifs if isinstance(node, ast.comprehension) else [node.test]
        if any(ast.unparse(test) == "TYPE_CHECKING" for test in tests):
            return
        for test in tests:
            if not isinstance(test, ast.Constant):
                self._add(test, "True", "condition")
                self._add(test, "False", "condition")
        self.generic_visit(node)

    visit_If = visit_While = visit_IfExp = visit_comprehension = _visit_tested  # noqa: N815

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None and not isinstance(node.value, ast.Constant):
            self._add(node.value, "None", "return value")
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        operands = [node.left, *node.comparators]
        signs = [ast.unparse(ast.Compare(ast.Name(""), [each], [ast.Name("")])).strip() for each in node.ops]
        for index, operator in enumerate(node.ops):
            for other in COMPARISONS[type(operator)]:
                changed = [*signs[:index], other, *signs[index + 1 :]]
                rest = "".join(f" {sign} {ast.unparse(each)}" for sign, each in zip(changed, operands[1:], strict=True))
                self._add(node, ast.unparse(node.left) + rest, "comparison")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) in OPERATORS and not (_is_sequence(node.left) or _is_sequence(node.right)):
            left, right = ast.unparse(node.left), ast.unparse(node.right)
            self._add(node, f"(({left}) {OPERATORS[type(node.op)]} ({right}))", "arithmetic")
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        other = " or " if isinstance(node.op, ast.And) else " and "
        self._add(node, "(" + other.join(f"({ast.unparse(each)})" for each in node.values) + ")", "boolean")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self._add(node, f"({ast.unparse(node.operand)})", "not")
        elif isinstance(node.op, ast.USub):
            self._add(node, f"({ast.unparse(node.operand)})", "arithmetic")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id in ("min", "max"):
            self._add(node.func, "max" if node.func.id == "min" else "min", "min or max")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self._add(node, str(not node.value), "constant")
        elif isinstance(node.value, int | float):
            self._add(node, repr(node.value + 1), "constant")
            self._add(node, f"({node.value - 1!r})", "constant")

    def visit_Break(self, node: ast.Break) -> None:
        self._add(node, "continue", "break or continue")

    def visit_Continue(self, node: ast.Continue) -> None:
        self._add(node, "break", "break or continue")

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if ast.unparse(node.value) not in ("Literal", "Annotated"):
            self.generic_visit(node)

    def _skip(self, node: ast.AST) -> None:
        pass

    visit_Raise = visit_Assert = visit_JoinedStr = visit_Import = visit_ImportFrom = _skip  # noqa: N815


def _is_sequence(node: ast.expr) -> bool:
    """Where it is added to something, the sum is no number, and every other operator fails."""
    return isinstance(node, ast.JoinedStr | ast.List | ast.Tuple) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    )


def numbered_lines(source: bytes, mutation: Mutation) -> Iterator[str]:
    """The lines that a mutation changes, before and after, as in a diff."""
    first = source.rfind(b"\n", 0, mutation.start) + 1
    last = source.find(b"\n", mutation.end)
    before = source[first:last].decode()
    after = source[first : mutation.start].decode() + mutation.text + source[mutation.end : last].decode()
    number = source.count(b"\n", 0, first) + 1
    yield from (f"{number + offset:5} - {line}" for offset, line in enumerate(before.splitlines()))
    yield from (f"      + {line}" for line in after.splitlines())
